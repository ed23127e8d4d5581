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

    /// A call of an administrator, below the project or a tenant, with a token that opens it unless another is given.
    func admin(
        _ operation: String, _ body: JSON, tenant: String? = nil, bearer: String? = nil
    ) async throws -> Reply {
        let token = if let bearer { bearer } else { try await accessToken(scopes: [Self.identityToolkit]) }
        let path = "/v1/projects/sandbox" + (tenant.map { "/tenants/\($0)" } ?? "") + "/accounts" + operation
        return try await postJSON(addresses.google + path, body, header: ["Authorization: Bearer \(token)"])
    }

    /// A call of an application.
    func application(_ operation: String, _ body: JSON, key: String = "sandbox-api-key") async throws -> Reply {
        try await postJSON(addresses.google + "/v1/accounts:\(operation)?key=\(key)", body)
    }

    func refresh(_ token: String) async throws -> Reply {
        try await post(
            addresses.google + "/v1/token?key=sandbox-api-key",
            form: [("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    /// Of the default account.
    func accessToken(scopes: [String]) async throws -> String {
        try await control(
            "POST", "/google/access-token", .object(["scopes": .array(scopes.map { .string($0) })]))["access_token"]?
            .string ?? ""
    }

    /// An ID token made without a sign-in.
    func firebaseIDToken(_ members: [String: JSON]) async throws -> String {
        try await control("POST", "/google/id-token", .object(members))["id_token"]?.string ?? ""
    }
}

extension Reply {
    /// What went wrong, in Identity Toolkit's words.
    var googleMessage: String? { json?["error"]?["message"]?.string }

    /// The message up to its detail.
    var googleCode: String? { googleMessage?.split(separator: " ").first.map(String.init) }
}
