import Jansson

/// A path of Google's APIs: the endpoint and the names in the path.
struct GooglePath: Sendable {
    /// The prefix of Identity Toolkit and Secure Token.
    enum Layout: Sendable {
        /// Google's paths: `/v1/…`.
        case plain
        /// The Firebase emulator's paths: `/identitytoolkit.googleapis.com/v1/…`, and
        /// `/www.googleapis.com/identitytoolkit/v3/relyingparty/…`.
        case emulator
    }

    let endpoint: Endpoint
    let layout: Layout
    let tenantID: String?
    private let values: [String: String]

    /// Returns `nil` if there is no endpoint at this path.
    init?(_ path: String) {
        let split = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var segments = split.compactMap { PercentEncoding.decode($0, plusIsSpace: false) }
        guard segments.count == split.count else { return nil }
        var isEmulated = segments.first.map(Self.hosts.contains) == true
        if isEmulated { segments.removeFirst() }
        if segments.dropLast() == Self.relyingParty, let name = segments.last {
            guard let operation = Self.relyingPartyOperations[exactly: name] else { return nil }
            segments = ["v1", "accounts:" + operation]
            isEmulated = true
        }
        // `/v1/projects/{project}/tenants/{tenant}/…` has the same endpoints as the path without the tenant.
        if segments.count > 5, segments[1] == "projects", segments[3] == "tenants" {
            tenantID = segments[4]
            segments.removeSubrange(3...4)
        } else {
            tenantID = nil
        }
        for endpoint in Endpoint.allCases where endpoint.standIn == .google {
            guard let values = PathPattern.match(segments, endpoint.path) else { continue }
            guard endpoint.isOfIdentityToolkit || !isEmulated && tenantID == nil else { return nil }
            self.endpoint = endpoint
            self.values = values
            layout = isEmulated ? .emulator : .plain
            return
        }
        return nil
    }

    /// The project in the path; empty if there is none.
    var projectID: String { values["project"] ?? "" }

    /// The service account in the path; empty if there is none.
    var email: String { values["email"] ?? "" }

    /// The secret and the version in the path; empty if there is none.
    var secret: (name: String, version: String) { (values["secret"] ?? "", values["version"] ?? "") }

    private static let hosts: Set = ["identitytoolkit.googleapis.com", "securetoken.googleapis.com"]

    /// The emulator's path of the former version of Identity Toolkit, which the Firebase SDKs for Apple's systems and C++ call.
    private static let relyingParty: ArraySlice = ["www.googleapis.com", "identitytoolkit", "v3", "relyingparty"]

    /// The names of today by those of the former version.
    private static let relyingPartyOperations = [
        "verifyCustomToken": "signInWithCustomToken", "verifyPassword": "signInWithPassword",
        "signupNewUser": "signUp", "getAccountInfo": "lookup", "setAccountInfo": "update", "deleteAccount": "delete",
    ]
}

/// Errors in the forms of Google's APIs.
enum GoogleError {
    /// An error of Identity Toolkit: the message is the code, which ` : ` and a detail may follow.
    static func identity(_ message: String) -> Refusal {
        Refusal(.json(body(400, message), status: 400))
    }

    /// An error of Google's APIs in general (AIP-193).
    static func api(_ status: Int, _ code: String, _ message: String, header: [(String, String)] = []) -> Refusal {
        Refusal(.json(body(status, message, code), status: status, header: header.map { ($0.0, $0.1) }))
    }

    static func invalidArgument(_ message: String) -> Refusal { api(400, "INVALID_ARGUMENT", message) }

    static func permissionDenied(_ message: String = "The caller does not have permission") -> Refusal {
        api(403, "PERMISSION_DENIED", message)
    }

    /// An error of `oauth2.googleapis.com` (RFC 6749 §5.2).
    static func oauth(_ error: String, _ description: String) -> Refusal {
        Refusal(400, error, description)
    }

    static var noKey: Refusal { api(500, "INTERNAL", "No key could be made, or nothing be signed with it.") }

    private static func body(_ status: Int, _ message: String, _ code: String? = nil) -> JSON {
        let reason = status == 400 ? "invalid" : status == 401 ? "authError" : status == 403 ? "forbidden" : "backend"
        let detail: JSON = .object([
            "message": .string(message), "domain": .string("global"), "reason": .string(reason),
        ])
        var error: [String: JSON] = [
            "code": .integer(Int64(status)), "message": .string(message), "errors": .array([detail]),
        ]
        error["status"] = code.map { .string($0) }
        return .object(["error": .object(error)])
    }
}
