import Curl
import JOSE
import Jansson
import Transport

/// Somebody with a Firebase ID token.
struct Person: Sendable {
    let server: TestServer
    let uid: String
    let idToken: String

    /// A request as this person, of the methods that a stand-in for a browser lacks too.
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

    /// What the server has of this person.
    func account() async throws -> JSON? { try await ask("GET", "/v1/account")?.json }

    /// The providers of the person's identities.
    func providers() async throws -> [String] {
        try await account()?["identities"]?.array?.compactMap { $0["provider"]?.string } ?? []
    }
}

extension TestServer {
    static let alice = "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"
    static let bjornAtX = "twitter.com:1580661436132757506"

    /// Whoever has that uid, with a token of now.
    ///
    /// - `further`: see `FirebaseIDTokenOrder`.
    func person(_ uid: String, _ further: JSON = [:]) async throws -> Person {
        Person(server: self, uid: uid, idToken: try await standIns.idToken(uid, further))
    }

    /// Somebody who has signed in at Yahoo before.
    func atYahoo(_ user: String = "alice") async throws -> Person {
        try await person(try await exchange(try await codeBody(user: user)).json?["uid"]?.string ?? "")
    }

    /// Somebody who has signed in at X before.
    func atX(_ user: String = "bjorn") async throws -> Person {
        try await person(try await exchange(try await xCodeBody(user: user)).json?["uid"]?.string ?? "")
    }

    func anonymous() async throws -> Person {
        let uid = try await post("/v1/anonymous", ["client_id": "my-app"]).json?["uid"]?.string ?? ""
        return try await person(uid)
    }
}

/// What a token says, whoever signed it.
enum Payload {
    static func of(_ token: String?) -> JSON? {
        let parts = (token ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = try? Base64URL.decode(String(parts[1])) else { return nil }
        return try? JSON.parse(bytes)
    }
}
