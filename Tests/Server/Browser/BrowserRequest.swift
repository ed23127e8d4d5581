import Jansson
import OAuth
import Transport

/// An application that signs in by the browser flow, and asks for nothing wrong unless a test says so.
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

    /// Of `GET /authorize`, with other parameters, or without some.
    static func path(_ changes: [String: String?] = [:]) -> String { "/authorize?" + query(changes) }

    static func query(_ changes: [String: String?] = [:]) -> String {
        Form.encoded(parameters.changing(changes))
    }
}

extension [String: String] {
    /// The same with other members, or without some.
    func changing(_ changes: [String: String?]) -> [String: String] {
        var all = self
        for (name, value) in changes { all[name] = value }
        return all
    }
}

extension TestServer {
    /// What comes of a form that an application posts.
    func form(
        _ path: String, _ fields: [String: String], header: [HeaderField] = []
    ) async throws -> OutboundResponse {
        try await post(path, text: Form.encoded(fields), type: "application/x-www-form-urlencoded", header: header)
    }

    /// The form in which an application fetches what a handoff code stands for.
    func handoff(_ code: String, _ changes: [String: String?] = [:]) -> [String: String] {
        [
            "grant_type": "authorization_code", "code": code, "redirect_uri": BrowserRequest.redirectURI,
            "client_id": "my-app", "code_verifier": BrowserRequest.verifier,
        ].changing(changes)
    }

    func redeem(_ code: String, _ changes: [String: String?] = [:]) async throws -> OutboundResponse {
        try await form("/token", handoff(code, changes))
    }

    /// Calls of the endpoints at which providers take codes.
    func tokenRequests() async throws -> Int64 {
        var all: Int64 = 0
        for endpoint in ["yahoo.token", "x.oauth2_token", "x.access_token"] {
            all += try await standIns.calls(of: endpoint)
        }
        return all
    }
}

extension TestBrowser {
    /// Leaves for the provider, and gives the person's answer there.
    ///
    /// - Returns: the callback that the browser is sent to.
    mutating func callback(
        _ changes: [String: String?] = [:], as user: String = "alice", decision: String = "allow"
    ) async throws -> String {
        let left = try await get(BrowserRequest.path(changes))
        return try await consent(at: left.location ?? "", as: user, decision: decision)
    }

    /// The whole way.
    ///
    /// - Returns: the handoff code.
    mutating func signIn(_ changes: [String: String?] = [:], as user: String = "alice") async throws -> String {
        let finished = try await get(try await callback(changes, as: user))
        return finished.told["code"] ?? ""
    }
}
