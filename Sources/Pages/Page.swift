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
