import Curl
import JOSE
import Jansson
import Transport

/// A user with a Firebase ID token.
struct Person: Sendable {
    let server: TestServer
    let uid: String
    let idToken: String

    /// Sends a request of this user with any method.
    func ask(
        _ method: String, _ path: String, body: String = "", header: [String] = []
    ) async throws -> OutboundResponse? {
        try await server.raw(
            TestServer.request(
                "\(method) \(path) HTTP/1.1", header: ["Authorization: Bearer \(idToken)"] + header, body: body))
    }

    func post(
        _ path: String, _ body: JSON, header: [HeaderField] = []
    ) async throws -> OutboundResponse {
        try await server.post(path, body, header: [HeaderField("Authorization", "Bearer " + idToken)] + header)
    }

    func link(_ body: JSON) async throws -> OutboundResponse { try await post("/v1/account/link", body) }

    func unlink(_ provider: String) async throws -> OutboundResponse {
        try await post("/v1/account/unlink", ["provider": .string(provider)])
    }

    func reauthenticate(_ body: JSON) async throws -> OutboundResponse {
        try await post("/v1/account/reauthenticate", body)
    }

    func merge(_ proof: String, _ value: String) async throws -> OutboundResponse {
        try await post("/v1/account/merge", ["client_id": "my-app", "\(proof)": .string(value)])
    }

    /// Asks for fresh tokens of Yahoo.
    func refresh(_ refreshToken: String) async throws -> OutboundResponse {
        try await post(
            "/v1/provider-token",
            [
                "client_id": "my-app", "provider": "yahoo.com", "refresh_token": .string(refreshToken),
            ])
    }

    /// The account of this user at the server.
    func account() async throws -> JSON? { try await ask("GET", "/v1/account")?.json }

    /// The providers of the person's identities.
    func providers() async throws -> [String] {
        try await account()?["identities"]?.array?.compactMap { $0["provider"]?.string } ?? []
    }
}

extension TestServer {
    static let alice = "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"
    static let bjornAtX = "twitter.com:1580661436132757506"

    /// Makes the user with that uid, with an ID token issued now.
    ///
    /// See `FirebaseIDTokenOrder` for the members of `further`.
    func person(_ uid: String, _ further: JSON = [:]) async throws -> Person {
        Person(server: self, uid: uid, idToken: try await standIns.idToken(uid, further))
    }

    /// Makes a user who has signed in with Yahoo before.
    func atYahoo(_ user: String = "alice") async throws -> Person {
        try await person(try await exchange(try await codeBody(user: user)).json?["uid"]?.string ?? "")
    }

    /// Makes a user who has signed in with X before.
    func atX(_ user: String = "bjorn") async throws -> Person {
        try await person(try await exchange(try await xCodeBody(user: user)).json?["uid"]?.string ?? "")
    }

    func anonymous() async throws -> Person {
        let uid = try await post("/v1/anonymous", ["client_id": "my-app"]).json?["uid"]?.string ?? ""
        return try await person(uid)
    }
}

/// The payload of a token; the signature is not verified.
enum Payload {
    static func of(_ token: String?) -> JSON? {
        let parts = (token ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = try? Base64URL.decode(String(parts[1])) else { return nil }
        return try? JSON.parse(bytes)
    }
}
