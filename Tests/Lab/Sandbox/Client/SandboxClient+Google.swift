import Jansson
import OpenSSL
import Sandbox

extension SandboxClient {
    static let cloudPlatform = "https://www.googleapis.com/auth/cloud-platform"
    static let identityToolkit = "https://www.googleapis.com/auth/identitytoolkit"
    static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    func postJSON(_ url: String, _ body: JSON, header: [String] = []) async throws -> Reply {
        try await send(
            "POST", url, header: header + ["Content-Type: application/json"],
            body: String(decoding: body.serialized(), as: UTF8.self))
    }

    /// Sends a request of an administrator, below the project or a tenant, by default with a valid access token.
    func admin(
        _ operation: String, _ body: JSON, tenant: String? = nil, bearer: String? = nil
    ) async throws -> Reply {
        let token = if let bearer { bearer } else { try await accessToken(scopes: [Self.identityToolkit]) }
        let path = "/v1/projects/sandbox" + (tenant.map { "/tenants/\($0)" } ?? "") + "/accounts" + operation
        return try await postJSON(addresses.google + path, body, header: ["Authorization: Bearer \(token)"])
    }

    /// Sends a request of an application.
    func application(_ operation: String, _ body: JSON, key: String = "sandbox-api-key") async throws -> Reply {
        try await postJSON(addresses.google + "/v1/accounts:\(operation)?key=\(key)", body)
    }

    func refresh(_ token: String) async throws -> Reply {
        try await post(
            addresses.google + "/v1/token?key=sandbox-api-key",
            form: [("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    /// An access token of the default account.
    func accessToken(scopes: [String]) async throws -> String {
        try await control(
            "POST", "/google/access-token", .object(["scopes": .array(scopes.map { .string($0) })]))["access_token"]?
            .string ?? ""
    }

    /// Creates an ID token without a sign-in.
    func firebaseIDToken(_ members: [String: JSON]) async throws -> String {
        try await control("POST", "/google/id-token", .object(members))["id_token"]?.string ?? ""
    }
}

extension Reply {
    /// The error message of Identity Toolkit.
    var googleMessage: String? { json?["error"]?["message"]?.string }

    /// The error message without its detail.
    var googleCode: String? { googleMessage?.split(separator: " ").first.map(String.init) }
}
