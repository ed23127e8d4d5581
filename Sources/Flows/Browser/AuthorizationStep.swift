package import Providers
package import Standards

/// The next page or redirect of a browser.
package enum AuthorizationStep: Sendable {
    /// A page on which the person presses a button first.
    case ask(SignInPrompt, keeping: FlowCookie)
    /// A redirect to the provider. The flow of the page before it ends, if there was one.
    case leave(to: Secret, keeping: FlowCookie, forgetting: String? = nil)
    /// A redirect to the application, or to a provider whose response goes to the application. The flow ends.
    ///
    /// `forgetting` is `nil` if the flow has no cookie yet, and for a redirect to the callback.
    case finish(to: Secret, forgetting: String?)
    /// A page that carries the response to the application. The flow ends.
    case deliver(ResponsePage, forgetting: String)
    /// A page on which the person approves the verified sign-in of a device.
    case approve(DeviceApproval, forgetting: String)
    /// A page on which the person settles a conflict. The flow of the callback continues with it.
    case settle(ConflictPrompt, keeping: FlowCookie, forgetting: String)
    /// A page on which the person enters a code of their second factor.
    ///
    /// `forgetting` is `nil` if the page is shown again.
    case challenge(ChallengePrompt, keeping: FlowCookie, forgetting: String? = nil)
}

/// The content of a page with a form for a flow, to show it again.
package enum FlowPrompt: Sendable {
    case signIn(SignInPrompt)
    case conflict(ConflictPrompt)
    case challenge(ChallengePrompt)
}

/// The content of the page before the provider.
package struct SignInPrompt: Sendable {
    package let client: RegisteredClient
    /// The purpose of the flow; `nil` if it signs in.
    package let purpose: AccountIntent.Purpose?
    /// The account that the flow is for, and the name of its provider; `nil` if the flow signs in.
    package let account: (name: AccountName, provider: String?)?
    package let redirectURI: String
    package let providers: [Provider]
    /// The hidden field of the form.
    package let handle: Secret
}

/// The content of the page of a second factor.
package struct ChallengePrompt: Sendable {
    package let client: RegisteredClient
    /// Whether the person has just entered a wrong code.
    package let isRepeated: Bool
    /// The hidden field of the form.
    package let handle: Secret
}

/// The error of a browser flow, and its destination.
///
/// A step may also throw any other error, which a page shows.
package struct FlowFailure: Error, Sendable {
    package let error: Refusal
    /// The application to which the error is sent, in the response mode of its request.
    ///
    /// If it is `nil`, the redirect URI is not trusted (RFC 6749 §4.1.2.1), and a page shows the error.
    package let returnAddress: ReturnAddress?
    /// The name of the cookie of a flow that ends with this error.
    package let ended: String?
    /// The application of the flow; `nil` if it is unknown, or if ``returnAddress`` is not `nil`.
    package let wayBack: WayBack?
    /// The code with which the application fetches the conflict that the person could not settle on a page.
    package let code: Secret?
    /// Whether the application is told because of `prompt=none`, and a page would show the error otherwise.
    package let replacesPage: Bool

    /// - Parameters:
    ///   - error: The error of a step. A failure of a flow keeps its destination, and the other arguments are ignored.
    ///   - returnAddress: The application to which the error is sent.
    ///   - handle: The handle of a flow that ends with this error.
    ///   - code: The code of a conflict that the person could not settle.
    ///   - replacesPage: Whether the application is told because of `prompt=none`.
    package init(
        _ error: any Error, tell returnAddress: ReturnAddress? = nil, ending handle: String? = nil,
        offer wayBack: WayBack? = nil, code: Secret? = nil, replacesPage: Bool = false
    ) {
        if let failure = error as? FlowFailure {
            self = failure
            return
        }
        self.error = Refusal(error)
        self.returnAddress = returnAddress
        ended = handle.map(FlowCookie.name)
        self.wayBack = wayBack
        self.code = code
        self.replacesPage = replacesPage
    }
}

/// The application to which the page of an error belongs.
package struct WayBack: Sendable, Equatable {
    package let client: ClientID
    /// The URL at which the application learns that the person did not sign in.
    ///
    /// The page links to it. It is not a redirect, because an attacker may have caused the error, and the flow may
    /// still be valid. If it is `nil`, the redirect URI is not trusted, or takes no response by a link, or the application
    /// may already have its response.
    package let url: String?
}
