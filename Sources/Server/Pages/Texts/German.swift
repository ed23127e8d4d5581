extension PageTexts {
    static let german = Self(
        error: "Fehler:",
        signInTitle: "Bei {{>applicationInTitle}} anmelden",
        signInHeading: "Bei {{>application}} anmelden",
        signInChoose: "Mit welchem Konto möchten Sie sich anmelden?",
        signInWithOne: "Sie melden sich mit Ihrem Konto bei {{>provider}} an.",
        linkTitle: "Weitere Anmeldemöglichkeit für {{>applicationInTitle}} hinzufügen",
        linkHeading: "Weitere Anmeldemöglichkeit für {{>application}} hinzufügen",
        linkChoose: "Künftig können Sie sich auch mit dem Konto anmelden, das Sie auswählen.",
        linkWithOne: "Künftig können Sie sich auch mit Ihrem Konto bei {{>provider}} anmelden.",
        reauthenticateTitle: "Bestätigen Sie für {{>applicationInTitle}}, dass Sie es sind",
        reauthenticateHeading: "Bestätigen Sie für {{>application}}, dass Sie es sind",
        linkAccount: "Damit melden Sie sich bei diesem Konto von {{>application}} an:",
        reauthenticateAccount: "Sie bestätigen dies für das folgende Konto von {{>application}}:",
        guestAccount: "Gastkonto mit der Endung {{>uidEnd}}",
        unnamedAccount: "Konto mit der Endung {{>uidEnd}}",
        accountCaution: """
            Fahren Sie nur fort, wenn Sie dies gerade selbst gestartet haben und dieses Konto Ihnen gehört.
            """,
        conflictTitle: "Sie haben bereits ein Konto bei {{>applicationInTitle}}",
        conflictHeading: "Sie haben bereits ein Konto bei {{>application}}",
        conflictBefore: "Bisher haben Sie sich bei {{>application}} mit {{>signInMethods}} angemeldet.",
        conflictAddress: "Dieses Konto hat dieselbe E-Mail-Adresse wie Ihr Konto bei {{>newProvider}}:",
        conflictChoose: """
            Zeigen Sie, dass es Ihnen gehört: Melden Sie sich noch einmal damit an. Künftig können Sie sich auch mit \
            {{>newProvider}} anmelden.
            """,
        conflictElsewhere: """
            Diese Seite kann jene Anmeldemöglichkeit nicht prüfen. Fahren Sie in {{>application}} fort, und melden \
            Sie sich dort wie bisher an. Danach kann {{>application}} Ihrem Konto {{>newProvider}} hinzufügen.
            """,
        conflictSameProvider: """
            Mit diesem Konto ist bereits ein anderes Konto bei {{>newProvider}} verbunden, und mehr als eines ist \
            nicht möglich. Fahren Sie in {{>application}} fort, und melden Sie sich dort wie bisher an.
            """,
        conflictTold: """
            Wenn Sie fortfahren, erfährt {{>application}} diese Adresse und Ihre bisherige Anmeldemöglichkeit.
            """,
        continueInApplication: "Weiter in {{>application}}",
        conflictOtherAccount: """
            Das war nicht das Konto mit dieser E-Mail-Adresse. Wählen Sie das Konto, das Sie bisher verwendet haben.
            """,
        listSeparator: ", ",
        signInByPassword: "einer E-Mail-Adresse und einem Passwort",
        signInByPhone: "einer Telefonnummer",
        signInByEmailLink: "einem Link per E-Mail",
        continueWith: "Weiter mit {{>provider}}",
        cancel: "Abbrechen",
        destinationWebsite: "Danach kehren Sie zu {{>host}} zurück.",
        destinationApplication: "Danach kehren Sie zu einer Anwendung auf diesem Gerät zurück ({{>scheme}}).",
        destinationThisDevice: "Danach kehren Sie zu einer Anwendung auf diesem Gerät zurück.",
        signInCaution: "Fahren Sie nur fort, wenn Sie dies gerade selbst gestartet haben.",
        factorHeading: "Geben Sie Ihren Code ein",
        factorLead: """
            {{>application}} schützt Ihr Konto mit einem zweiten Schritt. Öffnen Sie Ihre Authenticator-App und \
            geben Sie den Code ein, den sie anzeigt.
            """,
        factorHint: "Sechs Ziffern oder einer Ihrer Wiederherstellungscodes.",
        factorInvalid: """
            Dieser Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten, oder verwenden Sie \
            einen Wiederherstellungscode. Wenn kein Code gilt, prüfen Sie die Uhrzeit des Geräts, das ihn anzeigt.
            """,
        enterCodeHeading: "Geben Sie den Code von Ihrem Gerät ein",
        enterCodeLead: "Das Gerät, auf dem Sie sich anmelden möchten, zeigt einen Code an. Geben Sie ihn hier ein.",
        codeLabel: "Code",
        codeHint: "Acht Buchstaben, klein oder groß, mit oder ohne Bindestrich.",
        continueWithCode: "Weiter",
        codeUnknown: """
            Dieser Code funktioniert nicht. Vielleicht enthält er einen Tippfehler, ist abgelaufen oder wurde schon \
            verwendet. Vergleichen Sie ihn mit dem Code auf Ihrem Gerät, oder fordern Sie dort einen neuen an.
            """,
        codeTooManyTries: """
            Es wurden zu viele falsche Codes eingegeben. Warten Sie einige Minuten, und versuchen Sie es dann erneut.
            """,
        codeMissing: "Geben Sie den Code ein, den Ihr Gerät anzeigt.",
        confirmDeviceTitle: "Auf Ihrem Gerät bei {{>applicationInTitle}} anmelden?",
        confirmDeviceHeading: "Auf Ihrem Gerät bei {{>application}} anmelden?",
        confirmDeviceCode: "Ihr Gerät muss genau diesen Code anzeigen:",
        confirmDeviceCaution: """
            Fahren Sie nur fort, wenn Sie dies selbst gestartet haben und der Code übereinstimmt. Wenn Ihnen jemand \
            den Code oder einen Link geschickt hat, kann das ein Betrugsversuch sein: Fahren Sie dann nicht fort.
            """,
        approveDeviceTitle: "Letzter Schritt: bei {{>applicationInTitle}} anmelden?",
        approveDeviceHeading: "Letzter Schritt: bei {{>application}} anmelden?",
        approveDeviceAccount: "Ihr Gerät wird mit diesem Konto angemeldet:",
        approveDeviceCaution: "Wenn Sie dies nicht selbst gestartet haben, wählen Sie „Nein“.",
        approve: "Ja, anmelden",
        refuse: "Nein, nicht anmelden",
        deviceApprovedHeading: "Fertig. Kehren Sie zu Ihrem Gerät zurück.",
        deviceApprovedLead: """
            In wenigen Sekunden sind Sie bei {{>application}} angemeldet. Sie können diese Seite schließen.
            """,
        deviceRefusedHeading: "Ihr Gerät wurde nicht angemeldet",
        deviceRefusedLead: """
            Sie haben sich entschieden, sich nicht bei {{>application}} anzumelden. Das Gerät hat keinen Zugriff auf \
            Ihr Konto. Sie können diese Seite schließen.
            """,
        returnHeading: "Kehren Sie zur Anwendung zurück",
        formPostLead: """
            Ihr Browser sendet das Ergebnis der Anmeldung an {{>host}}. Wenn nichts geschieht, drücken Sie die \
            Schaltfläche.
            """,
        webMessageDelivered: """
            Die Anwendung hat das Ergebnis der Anmeldung erhalten. Sie können dieses Fenster schließen.
            """,
        webMessageUndelivered: """
            Dieses Fenster erreicht die Anwendung nicht, die es geöffnet hat ({{>host}}). Schließen Sie das \
            Fenster, kehren Sie zur Anwendung zurück, erlauben Sie dort Skripte und Pop-up-Fenster, und \
            beginnen Sie die Anmeldung von vorn.
            """,
        homeHeading: "Hier melden Anwendungen Sie an",
        homeLead: """
            Auf dieser Seite gibt es nichts zu tun. Öffnen Sie Ihre Anwendung, und beginnen Sie die Anmeldung dort.
            """,
        enterCodeLink: "Code eingeben",
        backToApplication: "Zurück zu {{>application}}",
        requestNote: "Wenn Sie um Hilfe bitten, nennen Sie: {{>requestID}}",
        languageLabel: "Sprache:",
        privacyLink: "Datenschutz",
        termsLink: "Nutzungsbedingungen",
        supportLink: "Hilfe",
        problems: .german)
}

extension ProblemTexts {
    static let german = Self(
        unknownApplication: .init(
            "Diese Anwendung ist hier nicht bekannt",
            """
            Sie wurden nicht angemeldet. Kehren Sie zur Anwendung zurück, und versuchen Sie es erneut. Wenn diese \
            Seite wieder erscheint, informieren Sie die Entwickler der Anwendung.
            """),
        redirectNotAllowed: .init(
            "Diese Anmeldung kann nicht fortgesetzt werden",
            """
            Die Anwendung möchte Sie zu einer Adresse schicken, die sie nicht registriert hat. Zum Schutz Ihres \
            Kontos haben wir hier angehalten. Wenn Sie diesen Link aufbewahrt haben, etwa als Lesezeichen, kehren \
            Sie zur Anwendung zurück, und beginnen Sie die Anmeldung von vorn. Andernfalls informieren Sie bitte die \
            Entwickler der Anwendung.
            """),
        malformedRequest: .init(
            "Dieser Link ist beschädigt",
            """
            Ein Teil davon fehlt oder ist falsch. Kehren Sie zur Anwendung zurück, und starten Sie die Anmeldung \
            erneut. Wenn diese Seite wieder erscheint, informieren Sie die Entwickler der Anwendung.
            """),
        signInEnded: .init(
            "Diese Anmeldung ist beendet",
            """
            Sie ist zu alt, wurde bereits verwendet, wurde durch neuere Anmeldungen ersetzt oder in einem anderen \
            Browser gestartet, oder ihr Link ist beschädigt. Kehren Sie zur Anwendung zurück, und beginnen Sie in \
            diesem Browser von vorn. \
            Wenn diese Seite wieder erscheint, lassen Sie in diesem Browser Cookies zu, oder nehmen Sie einen anderen.
            """),
        stateMismatch: .init(
            "Diese Antwort gehört zu einer anderen Anmeldung",
            """
            Sie wurden nicht angemeldet. Schließen Sie andere Tabs, in denen Sie sich gerade anmelden, kehren Sie \
            zur Anwendung zurück, und beginnen Sie von vorn.
            """),
        deviceCodeTaken: .init(
            "Dieser Code wird in einem anderen Browser verwendet",
            """
            Wenn Sie ihn dort selbst bestätigt haben, fahren Sie in jenem Browser fort. Wenn nicht, fordern Sie auf \
            Ihrem Gerät einen neuen Code an.
            """),
        deviceCodeEnded: .init(
            "Dieser Code ist nicht mehr gültig",
            """
            Er ist inzwischen abgelaufen oder wurde verwendet. Fordern Sie auf Ihrem Gerät einen neuen Code an, und \
            geben Sie ihn ein.
            """),
        deviceFormEnded: .init(
            "Diese Seite gilt nicht mehr",
            """
            Der Code auf Ihrem Gerät ist vielleicht noch gültig: Geben Sie ihn noch einmal ein. \
            Wenn diese Seite wieder erscheint, lassen Sie in diesem Browser Cookies zu, oder nehmen Sie einen anderen.
            """),
        providerFailed: .init(
            "Der Anmeldedienst hat nicht richtig geantwortet",
            """
            Ihr Gerät wurde noch nicht angemeldet. Warten Sie eine Minute, und geben Sie dann denselben Code in \
            diesem Browser erneut ein.
            """),
        accessDenied: .init(
            "Die Zustimmung wurde nicht erteilt",
            """
            Ihr Gerät wurde nicht angemeldet. Wenn Sie es noch einmal versuchen möchten, fordern Sie auf Ihrem Gerät \
            einen neuen Code an.
            """),
        accountExists: .init(
            "Sie wurden nicht angemeldet",
            """
            In der Anwendung gibt es bereits ein Konto mit Ihrer E-Mail-Adresse. Beginnen Sie auf Ihrem Gerät von \
            vorn, und melden Sie sich wie bisher an.
            """),
        secondFactorLocked: .init(
            "Es gab zu viele falsche Codes",
            "Gehen Sie später zur Anwendung zurück und melden Sie sich noch einmal an, möglichst mit einem Wiederherstellungscode."
        ),
        blockedByHook: .init(
            "Die Anwendung hat diese Anmeldung nicht zugelassen",
            """
            Ihr Gerät wurde nicht angemeldet. Wenn Sie das für einen Irrtum halten, wenden Sie sich an den \
            Support der Anwendung.
            """),
        emailDomainNotAllowed: .init(
            "Mit dieser Adresse ist keine Anmeldung möglich",
            """
            Die Anwendung lässt nur E-Mail-Adressen bestimmter Organisationen zu. Ihr Gerät wurde nicht \
            angemeldet. Wenn Sie eine solche Adresse haben, beginnen Sie auf Ihrem Gerät von vorn, und \
            verwenden Sie diese.
            """),
        tooManyRequests: .init(
            "Es gab zu viele Versuche",
            "Warten Sie einige Minuten, und versuchen Sie es dann erneut."),
        unavailable: .init(
            "Die Anmeldung funktioniert gerade nicht",
            "Sie haben nichts falsch gemacht. Warten Sie eine Minute, und versuchen Sie es dann erneut."),
        notFound: .init(
            "Hier gibt es keine Seite",
            "Prüfen Sie die Adresse, oder kehren Sie zu der Anwendung zurück, die Sie hierher geschickt hat."),
        methodNotAllowed: .init(
            "Diese Seite lässt sich so nicht öffnen",
            """
            Kehren Sie zur Anwendung zurück, und starten Sie die Anmeldung erneut. \
            Wenn diese Seite wieder erscheint, löschen Sie in diesem Browser die Cookies dieser Website. Hilft das nicht, \
            teilen Sie es dem Support der Anwendung mit.
            """),
        unusableResponse: .init(
            "Die Antwort des Anmeldedienstes kann nicht empfangen werden",
            """
            Sie haben nichts falsch gemacht. Beginnen Sie von vorn, und teilen Sie das dem Support der Anwendung mit, wenn \
            diese Seite wieder erscheint.
            """),
        internalError: .init(
            "Auf dem Server ist ein Fehler aufgetreten",
            "Sie haben nichts falsch gemacht. Warten Sie eine Minute, und versuchen Sie es dann erneut."))
}
