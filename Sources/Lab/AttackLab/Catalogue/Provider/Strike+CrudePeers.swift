internal import Jansson
internal import OpenSSL

extension Strike {
    /// A server whose token endpoint of Yahoo is a crude peer, on the store of the server under attack.
    func withTokenPeer(
        timeout: String = "1s", _ script: @escaping CrudePeer.Script,
        _ work: (TestServer, CrudePeer) async throws -> Void
    ) async throws {
        let peer = try CrudePeer(script)
        defer { peer.stop() }
        var plan = ServerPlan("crude-\(attack.id)")
        plan.sharesStore = true
        plan.set("providers/yahoo.com/endpoints/token", .string(peer.base + "/token"))
        plan.set("providers/yahoo.com/timeout", .string(timeout))
        try await withServer(plan) { try await work($0, peer) }
    }

    /// A code that only a crude peer takes, and the request that posts it.
    func crudeExchange(nonce: String = "a-nonce-of-mine-0001") throws -> Request {
        exchange([
            "type": "authorization_code", "code": .string(Base64.urlEncode(try SecureRandom.bytes(9))),
            "redirect_uri": .string(lab.application.yahooRedirectURI), "nonce": .string(nonce),
        ])
    }

    /// What a token endpoint answers to a good code: everything in it is right.
    func goodTokens(nonce: String) async throws -> String {
        let issued = try await standIns.issue(["provider": "yahoo.com", "user": "alice", "nonce": .string(nonce)])
        let members = ["access_token", "id_token", "token_type", "expires_in"].compactMap { name in
            issued[name].map { (name, $0) }
        }
        return String(decoding: JSON.object(Dictionary(members) { $1 }).serialized(), as: UTF8.self)
    }
}

extension String {
    /// A good head for a JSON answer, with further fields.
    static func head(length: Int? = nil, _ fields: String...) -> String {
        let length = length.map { ["Content-Length: \($0)"] } ?? []
        return (["HTTP/1.1 200 OK", "Content-Type: application/json"] + length + fields + ["", ""])
            .joined(separator: "\r\n")
    }
}
