/// How far a grant has come, in this order; a refusal may come at any time before the approval.
package enum DeviceGrantState: String, Sendable, CaseIterable {
    /// Nobody has confirmed the user code.
    case pending
    /// A browser has, and owns it from now on.
    case claimed
    /// The person has signed in at the provider.
    case verified
    case approved
    case denied
}
