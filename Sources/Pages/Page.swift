/// What a person sees, with all that is filled in.
///
/// Every text may hold anything: names lose what could mislead (``DisplayName``), values that travel back keep their
/// visible ASCII characters only (``VisibleASCII``), and all of it is escaped.
package enum Page: Sendable, Equatable {
    /// An application asks; the person presses one provider.
    ///
    /// ```
    /// POST /authorize    flow=…&provider=<id>    or, to cancel,    flow=…&provider=
    /// ```
    ///
    /// - Parameter account: The account that a flow with another purpose than to sign in will open; nil otherwise.
    case signIn(
        application: String, purpose: SignInPurpose, account: AccountShown?, destination: Destination,
        providers: [ProviderChoice], flow: String
    )

    /// The field for the code of a device.
    ///
    /// ```
    /// POST /device    flow=…&user_code=<as typed>
    /// ```
    ///
    /// - Parameters:
    ///   - code: what stands in the field; all but 16 ASCII letters, digits, hyphens and spaces is left out.
    ///   - problem: nil when the code is asked for the first time.
    case enterCode(code: String, problem: CodeProblem?, flow: String)

    /// Names the application and the code, and asks the person to compare (RFC 8628 §5.4).
    ///
    /// ```
    /// POST /device    flow=…&provider=<id>    or    flow=…&decision=deny
    /// ```
    case confirmDevice(application: String, userCode: String, providers: [ProviderChoice], flow: String)

    /// After the provider, the last question.
    ///
    /// ```
    /// POST /device    flow=…&decision=approve    or    flow=…&decision=deny
    /// ```
    ///
    /// - Parameters:
    ///   - provider: its name, as at ``ProviderChoice/name``.
    ///   - person: an e-mail address or a name.
    case approveDevice(application: String, provider: String, person: String, flow: String)

    case deviceApproved(application: String)
    case deviceRefused(application: String)

    /// What went wrong and what to do now; the request's id is a small note for those who ask for help.
    case problem(PageProblem, requestID: String)
}

/// One way to continue: a button.
package struct ProviderChoice: Sendable, Equatable {
    /// What the button sends, such as `yahoo.com`.
    package let id: String
    /// What the button says, such as `Yahoo`; never a logo.
    package let name: String

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// What a browser flow is for, as the page before the provider names it.
package enum SignInPurpose: Sendable, Equatable {
    case signIn
    /// Afterwards the account has one more way to sign in.
    case link
    case reauthenticate
}

/// Where a sign-in ends, in words that a person can compare with what they began.
package enum Destination: Sendable, Equatable {
    /// An https redirect. The host is shown as it is given: ASCII, an international name in its `xn--` form.
    case website(host: String)
    /// A private-use scheme (RFC 8252 §7.1). Any application can claim it, so the page adds a caution.
    case application(scheme: String)
    /// A loopback address (RFC 8252 §7.3), with the same caution.
    case thisDevice
}

/// The account that a flow will open, as a page names it.
package enum AccountShown: Sendable, Equatable {
    /// By the address or the name that a provider shows; the provider is nil if none is known.
    case person(String, provider: String?)
    /// A guest account of the application, with the last six characters of its uid.
    case guest(uidEnd: String)
    /// An account of which nothing else can be shown.
    case unnamed(provider: String?, uidEnd: String)
}

/// Why the code is asked for once more.
package enum CodeProblem: Sendable, Equatable, CaseIterable {
    /// Wrong, expired or already used: the page does not say which, so that it helps nobody who guesses.
    case unknown
    case tooManyTries
    case missing
}
