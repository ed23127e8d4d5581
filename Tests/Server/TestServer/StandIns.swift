import Jansson
import Sandbox
import Transport

/// The control listener of the stand-ins.
struct StandIns: Sendable {
    let addresses: SandboxAddresses

    struct Refused: Error {}

    /// The credentials of one user, issued without a browser.
    struct Issued: Sendable {
        let code: String
        let idToken: String
        let accessToken: String
    }

    func yahoo(
        nonce: String?, application: String = "ours", user: String = "alice", claims: JSON? = nil
    ) async throws -> Issued {
        if let claims { try await spoilNextIDToken(claims) }
        var order: JSON = ["provider": "yahoo.com", "application": .string(application), "user": .string(user)]
        if application == "ours" { order = order.setting("redirect_uri", to: "com.example.app:/yahoo") }
        let issued = try await self.order("POST", "/issue", order.setting("nonce", to: nonce.map(JSON.string)))
        return Issued(
            code: issued["code"]?.string ?? "", idToken: issued["id_token"]?.string ?? "",
            accessToken: issued["access_token"]?.string ?? "")
    }

    /// Lets the stand-ins send browsers back to a server of that issuer.
    func register(issuer: String) async throws {
        for (provider, scheme) in [("yahoo.com", "com.example.app:/yahoo"), ("twitter.com", "com.example.app:/x")] {
            let ids = [provider, "gone.example", "dark.example", "asking.example"]
            try await order(
                "PUT", "/applications",
                [
                    "provider": .string(provider),
                    "redirect_uris": .array([.string(scheme)] + ids.map { .string("\(issuer)/callback/\($0)") }),
                ])
        }
    }

    /// See `IDTokenDefect`.
    func spoilNextIDToken(_ defect: JSON) async throws {
        try await order("PUT", "/claims", defect.setting("times", to: 1))
    }

    /// RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    /// A code of X for ``verifier``.
    func xCode(user: String) async throws -> String {
        let issued = try await order(
            "POST", "/issue",
            [
                "provider": "twitter.com", "protocol": "oauth2", "user": .string(user),
                "redirect_uri": "com.example.app:/x",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            ])
        return issued["code"]?.string ?? ""
    }

    func xTokenPair(application: String = "ours") async throws -> (token: String, secret: String) {
        let issued = try await order(
            "POST", "/issue",
            ["provider": "twitter.com", "protocol": "oauth1", "application": .string(application)])
        return (issued["oauth_token"]?.string ?? "", issued["oauth_token_secret"]?.string ?? "")
    }

    /// See `Fault`, for the next request or for so many.
    func fault(_ target: String, _ fault: JSON, times: Int64 = 1) async throws {
        try await order(
            "PUT", "/faults",
            fault.setting("target", to: .string(target)).setting("times", to: .integer(times)))
    }

    /// How often an endpoint was called.
    func calls(of endpoint: String) async throws -> Int64 {
        try await order("GET", "/requests")["counts"]?[endpoint]?.integer ?? 0
    }

    /// How often anything was called.
    func calls() async throws -> Int {
        try await order("GET", "/requests")["requests"]?.array?.count ?? 0
    }

    @discardableResult
    func order(_ method: String, _ path: String, _ order: JSON? = nil) async throws -> JSON {
        let port = Int(addresses.control.split(separator: ":").last ?? "") ?? 0
        let body = order?.text ?? ""
        let response = try await Wire.connect(to: port) { wire in
            try await wire.send(
                "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return try await wire.response()
        }
        guard let response, (200...204).contains(response.status) else { throw Refused() }
        return (try? JSON.parse(response.body, maximumBytes: 1 << 24)) ?? .null
    }
}

extension StandIns {
    /// A Firebase ID token of that uid.
    ///
    /// See `FirebaseIDTokenOrder` for the members of `further`.
    func idToken(_ uid: String, _ further: JSON = [:]) async throws -> String {
        let order = (further.object ?? [:]).merging(["uid": .string(uid)]) { $1 }
        return try await self.order("POST", "/google/id-token", .object(order))["id_token"]?.string ?? ""
    }

    /// See `AppCheckTokenOrder` for the members of `further`.
    func appCheckToken(_ app: String = "1:1:web:a", _ further: JSON = [:]) async throws -> String {
        let order = (further.object ?? [:]).merging(["app_id": .string(app)]) { $1 }
        return try await self.order("POST", "/google/app-check-token", .object(order))["app_check_token"]?.string ?? ""
    }

    /// Makes or changes a Firebase user; see `FirebaseUserOrder`.
    func firebaseUser(_ uid: String, _ change: JSON = [:]) async throws {
        try await order("PUT", "/google/users", change.setting("uid", to: .string(uid)))
    }

    /// The Firebase users, as Identity Toolkit shows them.
    func firebaseUsers() async throws -> [JSON] {
        try await order("GET", "/google/users").array ?? []
    }

    func foundFirebaseUser(_ uid: String) async throws -> JSON? {
        try await firebaseUsers().first { $0["localId"]?.string == uid }
    }

    func rotateIDTokenKeys(keepingOld: Bool) async throws {
        try await order("POST", "/google/rotate", ["keys": "id_token", "keep_old": .bool(keepingOld)])
    }
}
