import Jansson
import Sandbox

extension SandboxClient {
    var ours: YahooRegistration { SandboxApplication.ours.yahoo }
    var hostile: YahooRegistration { SandboxApplication.hostile.yahoo }

    /// A valid request to `/oauth2/request_auth`, with some parameters changed or added, or removed by `nil`.
    func authorization(_ changes: [String: String?] = [:]) -> [(String, String)] {
        var parameters: [String: String] = [
            "client_id": ours.clientID, "redirect_uri": "com.example.app:/yahoo", "response_type": "code",
            "scope": "openid profile email", "state": "st", "nonce": "no",
        ]
        for (name, value) in changes { parameters[name] = value }
        return parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func decide(_ changes: [String: String?] = [:], decision: String = "allow") async throws -> Reply {
        try await post(
            addresses.yahoo + "/oauth2/request_auth/decision",
            form: authorization(changes) + [("user", "alice"), ("decision", decision)])
    }

    /// Issues a code for our application without a browser.
    func code(_ members: [String: JSON] = [:]) async throws -> String {
        var order: [String: JSON] = [
            "provider": .string("yahoo.com"), "nonce": .string("no"), "redirect_uri": .string("com.example.app:/yahoo"),
        ]
        order.merge(members) { $1 }
        return try await control("POST", "/issue", .object(order))["code"]?.string ?? ""
    }

    /// Sends a token request with the client's credentials in the body.
    func token(
        _ form: [(String, String)], as client: YahooRegistration? = nil
    ) async throws -> Reply {
        let client = client ?? ours
        return try await post(
            addresses.yahoo + "/oauth2/get_token",
            form: form + [("client_id", client.clientID), ("client_secret", client.clientSecret)])
    }

    func redeem(
        _ code: String, redirectURI: String = "com.example.app:/yahoo", verifier: String? = nil,
        as client: YahooRegistration? = nil
    ) async throws -> Reply {
        try await token(
            [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI)]
                + (verifier.map { [("code_verifier", $0)] } ?? []), as: client)
    }
}
