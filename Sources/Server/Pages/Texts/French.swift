// U+00A0 keeps a colon, a question mark or a quotation mark on the line of the word beside it.
extension PageTexts {
    static let french = Self(
        error: "Erreur\u{A0}:",
        signInTitle: "Se connecter à {{>applicationInTitle}}",
        signInHeading: "Se connecter à {{>application}}",
        signInChoose: "Quel compte voulez-vous utiliser\u{A0}?",
        signInWithOne: "Vous vous connectez avec votre compte {{>provider}}.",
        linkTitle: "Ajouter un autre moyen de connexion à {{>applicationInTitle}}",
        linkHeading: "Ajouter un autre moyen de connexion à {{>application}}",
        linkChoose: "Vous pourrez désormais aussi vous connecter avec le compte que vous choisissez.",
        linkWithOne: "Vous pourrez désormais aussi vous connecter avec votre compte {{>provider}}.",
        reauthenticateTitle: "Confirmez à {{>applicationInTitle}} que c’est bien vous",
        reauthenticateHeading: "Confirmez à {{>application}} que c’est bien vous",
        linkAccount: "Il donnera accès à ce compte {{>application}}\u{A0}:",
        reauthenticateAccount: "Vous le confirmez pour le compte {{>application}} suivant\u{A0}:",
        guestAccount: "Compte invité se terminant par {{>uidEnd}}",
        unnamedAccount: "Compte se terminant par {{>uidEnd}}",
        accountCaution: """
            Ne continuez que si vous venez de lancer cette opération vous-même et si ce compte est le vôtre.
            """,
        conflictTitle: "Vous avez déjà un compte {{>applicationInTitle}}",
        conflictHeading: "Vous avez déjà un compte {{>application}}",
        conflictBefore: "Jusqu’ici, vous vous connectiez à {{>application}} avec {{>signInMethods}}.",
        conflictAddress: "Ce compte a la même adresse e-mail que votre compte {{>newProvider}}\u{A0}:",
        conflictChoose: """
            Montrez qu’il est à vous\u{A0}: connectez-vous encore une fois avec ce compte. Vous pourrez désormais \
            aussi vous connecter avec {{>newProvider}}.
            """,
        conflictElsewhere: """
            Cette page ne peut pas vérifier ce moyen de connexion. Continuez dans {{>application}} et \
            connectez-vous-y comme avant. {{>application}} pourra ensuite ajouter {{>newProvider}} à votre compte.
            """,
        conflictSameProvider: """
            Ce compte est déjà associé à un autre compte {{>newProvider}}, et il ne peut l’être qu’à un seul. \
            Continuez dans {{>application}} et connectez-vous-y comme avant.
            """,
        conflictTold: "Si vous continuez, {{>application}} apprend cette adresse et votre ancien moyen de connexion.",
        continueInApplication: "Continuer dans {{>application}}",
        conflictOtherAccount: """
            Ce n’était pas le compte qui a cette adresse e-mail. Choisissez celui que vous utilisiez jusqu’ici.
            """,
        listSeparator: ", ",
        signInByPassword: "une adresse e-mail et un mot de passe",
        signInByPhone: "un numéro de téléphone",
        signInByEmailLink: "un lien par e-mail",
        continueWith: "Continuer avec {{>provider}}",
        cancel: "Annuler",
        destinationWebsite: "Vous reviendrez ensuite sur {{>host}}.",
        destinationApplication: "Vous reviendrez ensuite dans une application de cet appareil ({{>scheme}}).",
        destinationThisDevice: "Vous reviendrez ensuite dans une application de cet appareil.",
        signInCaution: "Ne continuez que si vous venez de lancer cette opération vous-même.",
        factorHeading: "Saisissez votre code",
        factorLead: """
            {{>application}} protège votre compte par une deuxième étape. Ouvrez votre application \
            d’authentification et saisissez le code qu’elle affiche.
            """,
        factorHint: "Six chiffres, ou l’un de vos codes de récupération.",
        factorInvalid: """
            Ce code est incorrect ou a déjà été utilisé. Attendez le suivant, ou utilisez un code de récupération. \
            Si aucun code ne convient, vérifiez l’heure de l’appareil qui l’affiche.
            """,
        enterCodeHeading: "Saisissez le code affiché sur votre appareil",
        enterCodeLead: "L’appareil sur lequel vous voulez vous connecter affiche un code. Saisissez-le ici.",
        codeLabel: "Code",
        codeHint: "Huit lettres, minuscules ou majuscules, avec ou sans le trait d’union.",
        continueWithCode: "Continuer",
        codeUnknown: """
            Ce code ne fonctionne pas. Il est peut-être mal saisi, expiré ou déjà utilisé. Comparez-le avec celui de \
            votre appareil, ou demandez-y un nouveau code.
            """,
        codeTooManyTries: "Trop de codes incorrects ont été saisis. Patientez quelques minutes, puis réessayez.",
        codeMissing: "Saisissez le code que votre appareil affiche.",
        confirmDeviceTitle: "Se connecter à {{>applicationInTitle}} sur votre appareil\u{A0}?",
        confirmDeviceHeading: "Se connecter à {{>application}} sur votre appareil\u{A0}?",
        confirmDeviceCode: "Votre appareil doit afficher exactement ce code\u{A0}:",
        confirmDeviceCaution: """
            Ne continuez que si vous avez lancé cette opération vous-même et si les codes sont identiques. Si \
            quelqu’un vous a envoyé le code ou un lien, il s’agit peut-être d’une escroquerie\u{A0}: ne continuez pas.
            """,
        approveDeviceTitle: "Dernière étape\u{A0}: se connecter à {{>applicationInTitle}}\u{A0}?",
        approveDeviceHeading: "Dernière étape\u{A0}: se connecter à {{>application}}\u{A0}?",
        approveDeviceAccount: "Votre appareil sera connecté avec ce compte\u{A0}:",
        approveDeviceCaution: """
            Si vous n’avez pas lancé cette opération vous-même, choisissez «\u{A0}Non\u{A0}».
            """,
        approve: "Oui, me connecter",
        refuse: "Non, ne pas me connecter",
        deviceApprovedHeading: "C’est fait. Revenez à votre appareil.",
        deviceApprovedLead: """
            La connexion à {{>application}} aura lieu dans quelques secondes. Vous pouvez fermer cette page.
            """,
        deviceRefusedHeading: "Votre appareil n’a pas été connecté",
        deviceRefusedLead: """
            Vous avez choisi de ne pas vous connecter à {{>application}}. L’appareil n’a pas accès à votre compte. \
            Vous pouvez fermer cette page.
            """,
        returnHeading: "Revenez à l’application",
        formPostLead: """
            Votre navigateur envoie le résultat de la connexion à {{>host}}. Si rien ne se passe, appuyez sur \
            le bouton.
            """,
        webMessageDelivered: "L’application a reçu le résultat de la connexion. Vous pouvez fermer cette fenêtre.",
        webMessageUndelivered: """
            Cette fenêtre ne peut pas joindre l’application qui l’a ouverte ({{>host}}). Fermez la fenêtre, \
            revenez à l’application, autorisez-y les scripts et les fenêtres contextuelles, et recommencez la \
            connexion.
            """,
        homeHeading: "Ici, des applications vous connectent",
        homeLead: "Il n’y a rien à faire sur cette page. Ouvrez votre application et lancez-y la connexion.",
        enterCodeLink: "Saisir un code",
        backToApplication: "Revenir à {{>application}}",
        requestNote: "Si vous demandez de l’aide, mentionnez\u{A0}: {{>requestID}}",
        languageLabel: "Langue\u{A0}:",
        privacyLink: "Confidentialité",
        termsLink: "Conditions d’utilisation",
        supportLink: "Assistance",
        problems: .french)
}

extension ProblemTexts {
    static let french = Self(
        unknownApplication: .init(
            "Cette application n’est pas connue ici",
            """
            La connexion n’a pas eu lieu. Revenez à l’application et réessayez. Si cette page réapparaît, \
            prévenez les développeurs de l’application.
            """),
        redirectNotAllowed: .init(
            "Cette connexion ne peut pas continuer",
            """
            L’application veut vous envoyer à une adresse qu’elle n’a pas enregistrée. Pour protéger votre compte, \
            nous nous sommes arrêtés ici. Si vous aviez conservé ce lien, par exemple comme favori, revenez à \
            l’application et recommencez la connexion. Sinon, veuillez prévenir les développeurs de l’application.
            """),
        malformedRequest: .init(
            "Ce lien est endommagé",
            """
            Une partie manque ou est incorrecte. Revenez à l’application et recommencez la connexion. \
            Si cette page réapparaît, prévenez les développeurs de l’application.
            """),
        signInEnded: .init(
            "Cette connexion est terminée",
            """
            Elle est trop ancienne, a déjà servi, a été remplacée par des connexions plus récentes ou a été lancée \
            dans un autre navigateur, ou son lien est endommagé. Revenez à l’application et recommencez dans ce \
            navigateur. \
            Si cette page réapparaît, autorisez les cookies dans ce navigateur ou utilisez-en un autre.
            """),
        stateMismatch: .init(
            "Cette réponse appartient à une autre connexion",
            """
            La connexion n’a pas eu lieu. Fermez les autres onglets où une connexion est en cours, revenez à \
            l’application et recommencez.
            """),
        deviceCodeTaken: .init(
            "Ce code est utilisé dans un autre navigateur",
            """
            Si vous l’y avez confirmé vous-même, continuez dans cet autre navigateur. Sinon, demandez un nouveau \
            code sur votre appareil.
            """),
        deviceCodeEnded: .init(
            "Ce code n’est plus valable",
            "Il a expiré ou a été utilisé entre-temps. Demandez un nouveau code sur votre appareil et saisissez-le."),
        deviceFormEnded: .init(
            "Cette page n’est plus valable",
            """
            Le code de votre appareil est peut-être encore valable : saisissez-le à nouveau. \
            Si cette page réapparaît, autorisez les cookies dans ce navigateur ou utilisez-en un autre.
            """),
        providerFailed: .init(
            "Le service de connexion n’a pas répondu correctement",
            """
            Votre appareil n’est pas encore connecté. Patientez une minute, puis saisissez de nouveau le même code \
            dans ce navigateur.
            """),
        accessDenied: .init(
            "L’accord n’a pas été donné",
            """
            Votre appareil n’a pas été connecté. Si vous voulez réessayer, demandez un nouveau code sur votre \
            appareil.
            """),
        accountExists: .init(
            "La connexion n’a pas eu lieu",
            """
            L’application a déjà un compte avec votre adresse e-mail. Recommencez sur votre appareil et \
            connectez-vous comme avant.
            """),
        secondFactorLocked: .init(
            "Il y a eu trop de codes incorrects",
            "Retournez plus tard dans l’application et connectez-vous de nouveau, si possible avec un code de récupération."
        ),
        blockedByHook: .init(
            "L’application n’a pas autorisé cette connexion",
            """
            Votre appareil n’a pas été connecté. Si vous pensez qu’il s’agit d’une erreur, adressez-vous à \
            l’assistance de l’application.
            """),
        emailDomainNotAllowed: .init(
            "Cette adresse ne permet pas de se connecter ici",
            """
            L’application n’autorise que les adresses e-mail de certaines organisations. Votre appareil n’a \
            pas été connecté. Si vous avez une telle adresse, recommencez sur votre appareil et utilisez-la.
            """),
        tooManyRequests: .init(
            "Il y a eu trop de tentatives",
            "Patientez quelques minutes, puis réessayez."),
        unavailable: .init(
            "La connexion est impossible pour le moment",
            "Vous n’avez rien fait de mal. Patientez une minute, puis réessayez."),
        notFound: .init(
            "Il n’y a pas de page ici",
            "Vérifiez l’adresse, ou revenez à l’application qui vous a envoyé ici."),
        methodNotAllowed: .init(
            "Cette page ne peut pas être ouverte ainsi",
            """
            Revenez à l’application et recommencez la connexion. Si cette page réapparaît, supprimez les cookies \
            de ce site dans ce navigateur. Si cela ne suffit pas, signalez-le à l’assistance de l’application.
            """),
        unusableResponse: .init(
            "La réponse du service de connexion ne peut pas être reçue",
            """
            Vous n’avez rien fait de mal. Recommencez et, si cette page réapparaît, signalez-le à l’assistance de l’application.
            """),
        internalError: .init(
            "Une erreur s’est produite sur le serveur",
            "Vous n’avez rien fait de mal. Patientez une minute, puis réessayez."))
}
