extension ProblemTexts {
    static let english = Self(
        unknownApplication: .init(
            "This application is not known here",
            """
            You were not signed in. Go back to the application and try again. If you see this page again, tell the \
            people who make the application.
            """),
        redirectNotAllowed: .init(
            "This sign-in cannot go on",
            """
            The application wants to send you to an address that it has not registered. To protect your account, \
            we stopped here. Please tell the people who make the application.
            """),
        malformedRequest: .init(
            "This link is damaged",
            "Part of it is missing or wrong. Go back to the application and start to sign in again."),
        signInEnded: .init(
            "This sign-in has ended",
            """
            It was already completed, is older than ten minutes, or was started in another browser. Go back to the \
            application and start again in this browser.
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
        providerFailed: .init(
            "The sign-in service did not answer properly",
            "Your device was not signed in yet. Wait a minute, then enter the same code again in this browser."),
        accessDenied: .init(
            "You did not give permission",
            "Your device was not signed in. If you want to try again, get a new code on your device."),
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
            "Go back to the application and start to sign in again."),
        internalError: .init(
            "Something went wrong on our side",
            "You did nothing wrong. Wait a minute, then try again."))
}
