package import OAuth

/// What the browser is told next.
package enum AuthorizationStep: Sendable {
    /// A person has to press something first.
    case ask(SignInPrompt, keeping: FlowCookie)
    /// To the provider; the page that the way led over is over, if there was one.
    case leave(to: Secret, keeping: FlowCookie, forgetting: String? = nil)
    /// Back to the application, or to the provider whose answer goes to the application; the flow is over.
    case finish(to: Secret, forgetting: String)
    /// A device's sign-in is verified, and wants the person's last word.
    case approve(DeviceApproval, forgetting: String)
}
