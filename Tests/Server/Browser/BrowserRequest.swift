import Jansson
import Standards
import Transport

/// The valid authorization request of an application, in which a test may change parameters.
enum BrowserRequest {
    static let redirectURI = "https://app.example.com/cb"
    static let state = "the-state-of-the-application"
    static let verifier = StandIns.verifier
    /// RFC 7636, appendix B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static let parameters = [
        "response_type": "code", "client_id": "my-app", "redirect_uri": redirectURI, "state": state,
        "code_challenge": challenge, "code_challenge_method": "S256", "provider": "yahoo.com",
    ]

    /// Returns the path of `GET /authorize` with changed or removed parameters.
    static func path(_ changes: [String: String?] = [:]) -> String { "/authorize?" + query(changes) }

    static func query(_ changes: [String: String?] = [:]) -> String {
        Form.encoded(parameters.changing(changes))
    }
}

extension [String: String] {
    /// Returns the dictionary with changed or removed members.
    func changing(_ changes: [String: String?]) -> [String: String] {
        var all = self
        for (name, value) in changes { all[name] = value }
        return all
    }
}

extension TestServer {
    /// Posts a form as an application and returns the response.
    func form(
        _ path: String, _ fields: [String: String], header: [HeaderField] = []
    ) async throws -> OutboundResponse {
        try await post(path, text: Form.encoded(fields), type: "application/x-www-form-urlencoded", header: header)
    }

    /// The form with which an application redeems a handoff code.
    func handoff(_ code: String, _ changes: [String: String?] = [:]) -> [String: String] {
        [
            "grant_type": "authorization_code", "code": code, "redirect_uri": BrowserRequest.redirectURI,
            "client_id": "my-app", "code_verifier": BrowserRequest.verifier,
        ].changing(changes)
    }

    func redeem(_ code: String, _ changes: [String: String?] = [:]) async throws -> OutboundResponse {
        try await form("/token", handoff(code, changes))
    }

    /// The number of requests to the token endpoints of the providers.
    func tokenRequests() async throws -> Int64 {
        var all: Int64 = 0
        for endpoint in ["yahoo.token", "x.oauth2_token", "x.access_token"] {
            all += try await standIns.calls(of: endpoint)
        }
        return all
    }
}

extension TestBrowser {
    /// Continues to the provider and submits the decision of the user there.
    ///
    /// - Returns: The callback URL to which the provider redirects.
    mutating func callback(
        _ changes: [String: String?] = [:], as user: String = "alice", decision: String = "allow"
    ) async throws -> String {
        let left = try await get(BrowserRequest.path(changes))
        return try await consent(at: left.location ?? "", as: user, decision: decision)
    }

    /// Signs in through the complete browser flow.
    ///
    /// - Returns: The handoff code.
    mutating func signIn(_ changes: [String: String?] = [:], as user: String = "alice") async throws -> String {
        let finished = try await get(try await callback(changes, as: user))
        return finished.told["code"] ?? ""
    }
}
