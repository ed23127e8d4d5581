extension PageTexts {
    static let english = Self(
        error: "Error:",
        signInTitle: "Sign in to {{>applicationInTitle}}",
        signInHeading: "Sign in to {{>application}}",
        signInChoose: "Which account do you want to use?",
        signInWithOne: "You sign in with your {{>provider}} account.",
        linkTitle: "Add another way to sign in to {{>applicationInTitle}}",
        linkHeading: "Add another way to sign in to {{>application}}",
        linkChoose: "From now on you can also sign in with the account that you choose.",
        linkWithOne: "From now on you can also sign in with your {{>provider}} account.",
        reauthenticateTitle: "Confirm for {{>applicationInTitle}} that it is you",
        reauthenticateHeading: "Confirm for {{>application}} that it is you",
        linkAccount: "It will sign in to this account of {{>application}}:",
        reauthenticateAccount: "You confirm this for the following account of {{>application}}:",
        guestAccount: "Guest account, ending in {{>uidEnd}}",
        unnamedAccount: "Account ending in {{>uidEnd}}",
        accountCaution: "Continue only if you have just started this yourself and this account is yours.",
        conflictTitle: "You already have an account of {{>applicationInTitle}}",
        conflictHeading: "You already have an account of {{>application}}",
        conflictBefore: "You signed in to {{>application}} with {{>signInMethods}} before.",
        conflictAddress: "That account has the same email address as your {{>newProvider}} account:",
        conflictChoose: """
            Show that it is yours: sign in to it once more. From then on you can also sign in with \
            {{>newProvider}}.
            """,
        conflictElsewhere: """
            This page cannot check that way to sign in. Continue in {{>application}}, and sign in there as you did \
            before. Then {{>application}} can add {{>newProvider}} to your account.
            """,
        conflictSameProvider: """
            That account already has another account of {{>newProvider}}, and it can have only one. Continue in \
            {{>application}}, and sign in there as you did before.
            """,
        conflictTold: "If you continue, {{>application}} learns this address and how you signed in before.",
        continueInApplication: "Continue in {{>application}}",
        conflictOtherAccount: """
            That was not the account with this email address. Choose the one that you used before.
            """,
        listSeparator: ", ",
        signInByPassword: "an email address and a password",
        signInByPhone: "a telephone number",
        signInByEmailLink: "a link by email",
        continueWith: "Continue with {{>provider}}",
        cancel: "Cancel",
        destinationWebsite: "Afterwards you return to {{>host}}.",
        destinationApplication: "Afterwards you return to an application on this device ({{>scheme}}).",
        destinationThisDevice: "Afterwards you return to an application on this device.",
        signInCaution: "Continue only if you have just started this yourself.",
        factorHeading: "Enter your code",
        factorLead: """
            {{>application}} protects your account with a second step. Open your authenticator app and type the \
            code that it shows.
            """,
        factorHint: "Six digits, or one of your recovery codes.",
        factorInvalid: """
            This code is wrong or was already used. Wait for the next one, or use a recovery code. \
            If no code works, check the time of the device that shows it.
            """,
        enterCodeHeading: "Enter the code from your device",
        enterCodeLead: "The device on which you want to sign in shows a code. Type it here.",
        codeLabel: "Code",
        codeHint: "Eight letters, small or capital, with or without the hyphen.",
        continueWithCode: "Continue",
        codeUnknown: """
            This code does not work. It may be mistyped, expired or already used. Compare it with the one on your \
            device, or get a new code there.
            """,
        codeTooManyTries: "There were too many wrong codes. Wait a few minutes, then try again.",
        codeMissing: "Type the code that your device shows.",
        confirmDeviceTitle: "Sign in to {{>applicationInTitle}} on your device?",
        confirmDeviceHeading: "Sign in to {{>application}} on your device?",
        confirmDeviceCode: "Your device must show exactly this code:",
        confirmDeviceCaution: """
            Continue only if you started this yourself and the code is the same. If someone sent you the code or a \
            link, it may be a trick: do not continue.
            """,
        approveDeviceTitle: "Last step: sign in to {{>applicationInTitle}}?",
        approveDeviceHeading: "Last step: sign in to {{>application}}?",
        approveDeviceAccount: "Your device will be signed in with this account:",
        approveDeviceCaution: "If you did not start this yourself, choose “No”.",
        approve: "Yes, sign in",
        refuse: "No, do not sign in",
        deviceApprovedHeading: "Done. Return to your device.",
        deviceApprovedLead: "You will be signed in to {{>application}} in a few seconds. You can close this page.",
        deviceRefusedHeading: "Your device was not signed in",
        deviceRefusedLead: """
            You chose not to sign in to {{>application}}. The device has no access to your account. You can close \
            this page.
            """,
        returnHeading: "Return to the application",
        formPostLead: """
            Your browser sends the result of the sign-in to {{>host}}. If nothing happens, press the button.
            """,
        webMessageDelivered: "The application has received the result of the sign-in. You can close this window.",
        webMessageUndelivered: """
            This window cannot reach the application that opened it ({{>host}}). Close the window, go back to the \
            application, allow scripts and pop-up windows there, and start the sign-in again.
            """,
        homeHeading: "Here applications sign you in",
        homeLead: "There is nothing to do on this page. Open your application, and start the sign-in there.",
        enterCodeLink: "Enter a code",
        backToApplication: "Back to {{>application}}",
        requestNote: "If you ask for help, mention: {{>requestID}}",
        languageLabel: "Language:",
        privacyLink: "Privacy",
        termsLink: "Terms",
        supportLink: "Support",
        problems: .english)
}

extension ProblemTexts {
    static let english = Self(
        unknownApplication: .init(
            "This application is not known here",
            """
            You were not signed in. Go back to the application and try again. If you see this page again, tell the \
            developers of the application.
            """),
        redirectNotAllowed: .init(
            "This sign-in cannot continue",
            """
            The application wants to send you to an address that it has not registered. To protect your account, we \
            stopped here. If you kept this link, for example as a bookmark, go back to the application and start the \
            sign-in again. Otherwise please tell the developers of the application.
            """),
        malformedRequest: .init(
            "This link is damaged",
            """
            Part of it is missing or wrong. Go back to the application and start the sign-in again. \
            If you see this page again, tell the developers of the application.
            """),
        signInEnded: .init(
            "This sign-in has ended",
            """
            It is too old, was already used, was replaced by newer sign-ins, or was started in another browser, or \
            its link is damaged. Go back to the application and start again in this browser. \
            If this page appears again, let this browser accept cookies, or use another browser.
            """),
        stateMismatch: .init(
            "This answer belongs to another sign-in",
            """
            You were not signed in. Close other tabs in which you are signing in, go back to the application and \
            start again.
            """),
        deviceCodeTaken: .init(
            "This code is in use in another browser",
            "If you confirmed it there yourself, continue in that browser. If not, get a new code on your device."),
        deviceCodeEnded: .init(
            "This code is no longer valid",
            "It has expired or was used in the meantime. Get a new code on your device and enter it."),
        deviceFormEnded: .init(
            "This page cannot be used any more",
            """
            The code on your device may still be valid: enter it again. \
            If this page appears again, let this browser accept cookies, or use another browser.
            """),
        providerFailed: .init(
            "The sign-in service did not respond correctly",
            "Your device was not signed in yet. Wait a minute, then enter the same code again in this browser."),
        accessDenied: .init(
            "Permission was not given",
            "Your device was not signed in. If you want to try again, get a new code on your device."),
        accountExists: .init(
            "You were not signed in",
            """
            The application already has an account with your email address. Start again on your device, and \
            sign in as you did before.
            """),
        secondFactorLocked: .init(
            "There were too many wrong codes",
            "Go back to the application later and sign in again. Use a recovery code if you have one."),
        blockedByHook: .init(
            "The application did not allow this sign-in",
            """
            Your device was not signed in. If you think that this is a mistake, ask the support of the \
            application.
            """),
        emailDomainNotAllowed: .init(
            "This address may not sign in here",
            """
            The application allows only email addresses of certain organizations. Your device was not signed \
            in. If you have such an address, start again on your device and use it.
            """),
        tooManyRequests: .init(
            "There were too many attempts",
            "Wait a few minutes, then try again."),
        unavailable: .init(
            "Signing in does not work right now",
            "You did nothing wrong. Wait a minute, then try again."),
        notFound: .init(
            "There is no page here",
            "Check the address, or go back to the application that sent you here."),
        methodNotAllowed: .init(
            "This page cannot be opened like this",
            """
            Go back to the application and start the sign-in again. If this page appears again, delete the cookies \
            of this website in this browser. If that does not help, tell the support of the application.
            """),
        unusableResponse: .init(
            "The response of the sign-in service cannot be received",
            """
            You did nothing wrong. Start again, and tell the support of the application if you see this page again.
            """),
        internalError: .init(
            "Something went wrong on the server",
            "You did nothing wrong. Wait a minute, then try again."))
}
