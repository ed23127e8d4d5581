/// A browser flow has ended without a sign-in.
package struct FlowFailure: Error, Equatable, Sendable {
    package let error: SignInError
    /// Whom to tell by a redirect; nil where nobody is certain enough (RFC 6749 §4.1.2.1), and a page says it.
    package let returnAddress: ReturnAddress?
    /// The cookie of a flow that is over with this.
    package let ended: String?

    init(_ error: SignInError, tell returnAddress: ReturnAddress? = nil, ending handle: String? = nil) {
        self.error = error
        self.returnAddress = returnAddress
        ended = handle.map(FlowCookie.name)
    }
}
