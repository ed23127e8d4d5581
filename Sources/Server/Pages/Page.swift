/// A page with the values to fill in.
///
/// The values may be any text. Misleading characters are removed from names (``DisplayName``), values that the form sends
/// back keep only visible ASCII characters (``VisibleASCII``), and everything is escaped.
package enum Page: Sendable, Equatable {
    /// The question before a sign-in: the user chooses a provider or cancels.
    ///
    /// ```
    /// POST /authorize    flow=…&provider=<id>    or, to cancel,    flow=…&provider=
    /// ```
    ///
    /// - Parameters:
    ///   - account: The account to which the flow belongs; `nil` if its purpose is to sign in.
    ///   - providers: The choices, in the order of their buttons.
    case signIn(
        application: String, purpose: SignInPurpose, account: AccountShown?, destination: Destination,
        providers: [ProviderChoice], flow: String
    )

    /// The page of a conflict: the address of the new identity belongs to another account of the application.
    ///
    /// ```
    /// POST /authorize    flow=…&provider=<id>    or, to cancel,    flow=…&provider=
    ///                    flow=…&decision=continue    if there are no providers
    /// ```
    ///
    /// - Parameters:
    ///   - provider: The name of the provider of the new identity.
    ///   - person: The address of the new identity; `nil` if it is not known.
    ///   - signInMethods: The names of the providers with which the user signed in before; Firebase's `password`, `phone` and
    ///     `emailLink` have texts of their own. It is empty if they are not known.
    ///   - providers: Those of them that the user can choose. Without any, the page explains the conflict, and the user
    ///     continues in the application.
    ///   - isFull: Whether the account has another identity of the same provider, so that it cannot get the new one.
    ///   - isRepeated: Whether the user has just proven an identity of another account.
    case settleConflict(
        application: String, provider: String, person: String?, signInMethods: [String], providers: [ProviderChoice],
        isFull: Bool, isRepeated: Bool, flow: String
    )

    /// The form for a code of a second factor: of an authenticator application, or a recovery code.
    ///
    /// ```
    /// POST /authorize    flow=…&decision=prove&code=<as typed>    or, to cancel,    flow=…&decision=cancel
    /// ```
    ///
    /// - Parameter isRepeated: Whether the user has just entered a wrong code.
    case secondFactor(application: String, isRepeated: Bool, flow: String)

    /// The form for the code of a device.
    ///
    /// ```
    /// POST /device    flow=…&user_code=<as typed>
    /// ```
    ///
    /// - Parameters:
    ///   - code: The content of the field. Only ASCII letters, digits, hyphens and spaces are kept, at most 16.
    ///   - problem: The problem with the previous code; `nil` the first time.
    case enterCode(code: String, problem: CodeProblem?, flow: String)

    /// The page that names the application and the code, and asks the user to compare the code (RFC 8628 §5.4).
    ///
    /// ```
    /// POST /device    flow=…&provider=<id>    or    flow=…&decision=deny
    /// ```
    case confirmDevice(application: String, userCode: String, providers: [ProviderChoice], flow: String)

    /// The last question of a device flow, after the provider.
    ///
    /// ```
    /// POST /device    flow=…&decision=approve    or    flow=…&decision=deny
    /// ```
    ///
    /// - Parameters:
    ///   - provider: The name of the provider, as in ``ProviderChoice/name``.
    ///   - person: The e-mail address or the name of the user.
    case approveDevice(application: String, provider: String, person: String, flow: String)

    case deviceApproved(application: String)
    case deviceRefused(application: String)

    /// The page whose form posts the response of a browser flow to the application, without a press of its button if
    /// scripts run (OAuth 2.0 Form Post Response Mode §2).
    ///
    /// - Parameters:
    ///   - action: The redirect URI of the application.
    ///   - origin: Its origin: ASCII, without a semicolon or a space, because it becomes a part of the policy.
    case formPost(action: String, origin: String, fields: [ResponseField])

    /// The page that posts the response of a browser flow to the window that opened it, and closes itself.
    ///
    /// - Parameter origin: The only origin that receives the message.
    case webMessage(origin: String, fields: [ResponseField])

    /// The page of the path `/`, which says what the server is for.
    case home

    /// The page that reports a problem with advice, and with the request id for support.
    ///
    /// - Parameters:
    ///   - message: The text of the operator for the user; `nil` if there is none.
    ///   - wayBack: The link back to the application; `nil` if it is unknown.
    case problem(PageProblem, message: String? = nil, requestID: String, wayBack: ApplicationLink? = nil)
}

package struct ApplicationLink: Sendable, Equatable {
    package let name: String
    /// A URL that the application has registered, with any scheme.
    package let url: String
}

extension Page {
    /// Whether the page has a switch for the language: buttons that send its form with `language=<tag>`.
    ///
    /// A page without a form has none, because its content would be lost.
    var switchesLanguage: Bool {
        switch self {
        case .signIn, .settleConflict, .secondFactor, .enterCode, .confirmDevice, .approveDevice: true
        case .deviceApproved, .deviceRefused, .formPost, .webMessage, .home, .problem: false
        }
    }

    /// Whether the page shows the request id.
    var hasNote: Bool {
        if case .problem = self { true } else { false }
    }
}

/// A provider that the user can choose, shown as a button.
package struct ProviderChoice: Sendable, Equatable {
    /// The value that the button sends, such as `yahoo.com`.
    package let id: String
    /// The label of the button, such as `Yahoo`; never a logo.
    package let name: String
}

/// A parameter of a response that a page carries to an application.
package struct ResponseField: Sendable, Equatable {
    package let name: String
    package let value: String
}

/// The purpose of a browser flow, which the page before the provider names.
package enum SignInPurpose: Sendable, Equatable {
    case signIn
    /// Adds a sign-in method to an account.
    case link
    case reauthenticate
}

/// The destination of a sign-in, which the user can compare with the application that they started from.
package enum Destination: Sendable, Equatable {
    /// An https redirect. The host is shown in ASCII, international names in their `xn--` form.
    case website(host: String)
    /// A private-use scheme (RFC 8252 §7.1). Any application can claim it, so the page adds a caution.
    case application(scheme: String)
    /// A loopback address (RFC 8252 §7.3), with the same caution.
    case thisDevice
}

/// The account to which a flow belongs, as a page names it.
package enum AccountShown: Sendable, Equatable {
    /// An account with an address or a name from a provider; the provider is `nil` if it is unknown.
    case person(String, provider: String?)
    /// A guest account of the application, with the last six characters of its uid.
    case guest(uidEnd: String)
    /// An account without an address or a name.
    case unnamed(provider: String?, uidEnd: String)
}

/// The reason why the page asks for the code again.
package enum CodeProblem: Sendable, Equatable, CaseIterable {
    /// The code is wrong, expired or already used. The page does not say which, because that would help guessing.
    case unknown
    case tooManyTries
    case missing
}
