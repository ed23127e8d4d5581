/// What a provider holds against our own registration, which only an operator can mend.
package enum ClientRefusal: String, Sendable, Equatable, CaseIterable {
    /// It does not take our client credentials, or our signature with them.
    case credentials
    /// It takes our signature for one of another time.
    case clock
    /// The registration has no credit left, or was never given a plan that pays for this call.
    case credit
    /// The access tier, or a permission of the registration, does not include this call.
    case accessTier = "access_tier"
    /// The registration is not enrolled where it has to be, such as in one of X's projects.
    case enrolment
    /// The registration is suspended.
    case suspended
    /// The callback address is not one of the registration's.
    case callbackNotApproved = "callback_not_approved"

    /// What the operator does about it.
    package var advice: String {
        switch self {
        case .credentials:
            "Compare client id and secret in the configuration with those that the provider shows; renew the secret if it "
                + "was revoked."
        case .clock: "Set this machine's clock; synchronize it with NTP."
        case .credit: "Add credit, or choose a plan that includes these calls, in the provider's developer console."
        case .accessTier:
            "Raise the access tier, or add the permission, of the registration in the provider's developer console."
        case .enrolment: "Attach the application to a project in the provider's developer console."
        case .suspended: "The provider has suspended the registration: look into its developer console."
        case .callbackNotApproved:
            "Add the redirect URI, character for character, to the registration in the provider's developer console."
        }
    }
}
