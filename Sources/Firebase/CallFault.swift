internal import Jansson

/// Why Google refuses a call with 403, by the reason in the details of an error of Google APIs (AIP-193).
package enum CallFault: Equatable, Sendable {
    /// The identity lacks a role on what the call concerns. It also stands for every reason without a case of its own.
    case role
    /// The API is disabled in the project to which the call is charged, of which Google's answer has the number or the id.
    case apiDisabled(project: String? = nil)
    /// The access token was issued without a scope that the API needs.
    case insufficientScope
    /// The identity may not use the project to which its calls are charged.
    case quotaProject
    /// A policy of the organization, such as a service perimeter, prohibits the call.
    case organizationPolicy
    case billingDisabled

    init(_ error: JSON?) {
        let details = (error?["details"]?.array ?? []).prefix(8)
        let reasons = details.compactMap { $0["reason"]?.string }
        let fault = reasons.lazy.compactMap { Self.reasons[$0] }.first ?? .role
        if case .apiDisabled = fault {
            let consumer = details.compactMap { $0["metadata"]?["consumer"]?.string }.first
            self = .apiDisabled(project: consumer.flatMap { Self.project(in: $0) })
        } else {
            self = fault
        }
    }

    /// The number or the id in the name of a project, such as `projects/123456789`.
    private static func project(in consumer: String) -> String? {
        guard consumer.hasPrefix("projects/") else { return nil }
        let project = consumer.dropFirst("projects/".count)
        let isName = project.utf8.allSatisfy { octet in
            (0x30...0x39).contains(octet) || (0x61...0x7A).contains(octet) || "-.:".utf8.contains(octet)
        }
        return isName && (1...64).contains(project.utf8.count) ? String(project) : nil
    }

    /// Whether an error names a reason that neither has a case of its own nor is a missing role.
    static func isUnknown(_ error: JSON?) -> Bool {
        let reasons = (error?["details"]?.array ?? []).prefix(8).compactMap { $0["reason"]?.string }
        return reasons.contains { !$0.isEmpty && $0 != "IAM_PERMISSION_DENIED" && Self.reasons[$0] == nil }
    }

    private static let reasons: [String: Self] = [
        "SERVICE_DISABLED": .apiDisabled(), "ACCESS_TOKEN_SCOPE_INSUFFICIENT": .insufficientScope,
        "USER_PROJECT_DENIED": .quotaProject, "SECURITY_POLICY_VIOLATED": .organizationPolicy,
        "BILLING_DISABLED": .billingDisabled,
    ]

    /// The fault in words, for an operator.
    ///
    /// - Returns: The sentence; `nil` for ``role``, whose name depends on the call.
    package func sentence(_ api: String) -> String? {
        switch self {
        case .role: nil
        case .apiDisabled(let project):
            "the \(api) is disabled in the project" + (project.map { " \($0), to which the call is charged" } ?? "")
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
