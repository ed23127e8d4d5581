import Jansson
import Sandbox

extension SandboxClient {
    /// A signed OAuth 1.0a request, with the values that a test may change.
    struct Signed {
        var consumer = SandboxApplication.ours.x
        var token: (name: String, secret: String)?
        var timestamp = SandboxClient.start
        var nonce = "nonce\(UInt64.random(in: .min ... .max))"
        var signedMethod: String?
        /// Parameters of the header that are signed.
        var further: [(name: String, value: String)] = []
        /// Parameters of the query or the form, which are signed too.
        var parameters: [(name: String, value: String)] = []
    }

    func send(_ method: String, _ path: String, _ request: Signed = Signed()) async throws -> Reply {
        var header =
            [
                (name: "oauth_consumer_key", value: request.consumer.consumerKey),
                (name: "oauth_nonce", value: request.nonce), (name: "oauth_signature_method", value: "HMAC-SHA1"),
                (name: "oauth_timestamp", value: String(request.timestamp)), (name: "oauth_version", value: "1.0"),
            ] + request.further
        if let token = request.token { header.append(("oauth_token", token.name)) }
        let base = OAuth1Signature.baseString(
            method: request.signedMethod ?? method, baseURL: addresses.x + path,
            parameters: header + request.parameters)
        let signature = OAuth1Signature.signature(
            of: base, clientSecret: request.consumer.consumerSecret, tokenSecret: request.token?.secret ?? "")
        let field = (header + [(name: "oauth_signature", value: signature)])
            .map { "\($0.name)=\"\(Self.encoded($0.value))\"" }.joined(separator: ", ")
        if method == "POST", !request.parameters.isEmpty {
            return try await post(
                addresses.x + path, form: request.parameters.map { ($0.name, $0.value) },
                header: ["Authorization: OAuth \(field)"])
        }
        let query = request.parameters.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }
        return try await send(
            method, addresses.x + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
            header: ["Authorization: OAuth \(field)"])
    }

    /// Requests a request token for our application.
    func requestToken(callback: String = "com.example.app:/x") async throws -> (name: String, secret: String) {
        var request = Signed()
        request.further = [("oauth_callback", callback)]
        let parameters = try await send("POST", "/oauth/request_token", request).parameters
        return (parameters["oauth_token"] ?? "", parameters["oauth_token_secret"] ?? "")
    }

    func decideOAuth1(_ token: String, decision: String = "allow") async throws -> Reply {
        try await post(
            addresses.x + "/oauth/authenticate/decision",
            form: [("oauth_token", token), ("user", "alice"), ("decision", decision)])
    }

    /// Issues an access token and its secret without a browser.
    func accessToken(user: String = "alice") async throws -> (name: String, secret: String) {
        let issued = try await control(
            "POST", "/issue",
            .object([
                "provider": .string("twitter.com"), "protocol": .string("oauth1"),
                "application": .string("ours"), "user": .string(user),
            ]))
        return (issued["oauth_token"]?.string ?? "", issued["oauth_token_secret"]?.string ?? "")
    }

    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// Issues an OAuth 2.0 code for ``challenge`` and an access token, without a browser.
    func oauth2(_ members: [String: JSON] = [:]) async throws -> (code: String, accessToken: String) {
        var order: [String: JSON] = [
            "provider": .string("twitter.com"), "protocol": .string("oauth2"),
            "redirect_uri": .string("com.example.app:/x"), "code_challenge": .string(Self.challenge),
        ]
        order.merge(members) { $1 }
        let issued = try await control("POST", "/issue", .object(order))
        return (issued["code"]?.string ?? "", issued["access_token"]?.string ?? "")
    }

    /// Sends a token request of our confidential client at X.
    func redeemOAuth2(_ code: String, _ changes: [String: String] = [:]) async throws -> Reply {
        let form = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": "com.example.app:/x",
            "code_verifier": Self.verifier,
        ].merging(changes) { $1 }
        return try await post(
            addresses.x + "/2/oauth2/token", form: form.map { ($0.key, $0.value) },
            header: [Self.basic(SandboxApplication.ours.x)])
    }

    static func basic(_ registration: XRegistration) -> String {
        basic(registration.clientID, registration.clientSecret ?? "")
    }
}
