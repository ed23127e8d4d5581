internal import Jansson

/// Why Google refuses a call with 403, by the reason in the details of an error of Google APIs (AIP-193).
package enum CallFault: Equatable, Sendable {
    /// The identity lacks a role on what the call concerns. It also stands for every reason without a case of its own.
    case role
    /// The API is disabled in the project.
    case apiDisabled
    /// The access token was issued without a scope that the API needs.
    case insufficientScope
    /// The identity may not use the project to which its calls are charged.
    case quotaProject
    /// A policy of the organization, such as a service perimeter, prohibits the call.
    case organizationPolicy
    case billingDisabled

    init(_ error: JSON?) {
        let reasons = (error?["details"]?.array ?? []).prefix(8).compactMap { $0["reason"]?.string }
        self = reasons.lazy.compactMap { Self.reasons[$0] }.first ?? .role
    }

    /// Whether an error names a reason that neither has a case of its own nor is a missing role.
    static func isUnknown(_ error: JSON?) -> Bool {
        let reasons = (error?["details"]?.array ?? []).prefix(8).compactMap { $0["reason"]?.string }
        return reasons.contains { !$0.isEmpty && $0 != "IAM_PERMISSION_DENIED" && Self.reasons[$0] == nil }
    }

    private static let reasons: [String: Self] = [
        "SERVICE_DISABLED": .apiDisabled, "ACCESS_TOKEN_SCOPE_INSUFFICIENT": .insufficientScope,
        "USER_PROJECT_DENIED": .quotaProject, "SECURITY_POLICY_VIOLATED": .organizationPolicy,
        "BILLING_DISABLED": .billingDisabled,
    ]

    /// The fault in words, for an operator.
    ///
    /// - Returns: The sentence; `nil` for ``role``, whose name depends on the call.
    package func sentence(_ api: String) -> String? {
        switch self {
        case .role: nil
        case .apiDisabled: "the \(api) is disabled in the project"
        case .insufficientScope: "the access tokens of this machine lack the scope cloud-platform"
        case .quotaProject: "the identity that calls may not use the project to which its calls are charged"
        case .organizationPolicy: "a policy of the organization prohibits the call (VPC Service Controls)"
        case .billingDisabled: "the \(api) needs billing, which is not enabled for the project"
        }
    }

    /// What an operator does about it, as a sentence.
    ///
    /// - Parameter service: The name of the API in commands.
    /// - Returns: The sentence; `nil` for ``role``.
    package func remedy(_ service: String) -> String? {
        switch self {
        case .role: nil
        case .apiDisabled: "Run gcloud services enable \(service) in that project."
        case .insufficientScope: "Set the access scopes of the machine to cloud-platform."
        case .quotaProject:
            "Grant it the role Service Usage Consumer (roles/serviceusage.serviceUsageConsumer) on that project."
        case .organizationPolicy:
            "Let an administrator of the organization admit this identity and this machine to the service perimeter of the "
                + "project."
        case .billingDisabled: "Link a billing account to the project in the Google Cloud console."
        }
    }
}
