internal import Jansson
internal import OpenSSL

/// An authorization code that an application obtained itself, with the members of its credential.
struct IssuedCode: Sendable {
    let provider: String
    let code: String
    /// The `credential` member of `POST /v1/exchange`.
    var members: [String: JSON]

    func with(_ name: String, _ value: JSON?) -> IssuedCode {
        var changed = self
        changed.members[name] = value
        return changed
    }
}

/// Steps for codes that an application redeems with `POST /v1/exchange`.
extension AttackContext {
    /// Returns a code of Yahoo whose ID token will contain `nonce`.
    ///
    /// If `nonce` is `nil`, the code gets a nonce of its own; if it is empty, the request has none.
    func yahooCode(
        user: String = "alice", application: String = "ours", nonce: String? = nil, provider: String = "yahoo.com"
    ) async throws -> IssuedCode {
        let redirectURI = lab.application.yahooRedirectURI
        let nonce = try nonce ?? Base64.urlEncode(SecureRandom.bytes(16))
        var order: [String: JSON] = [
            "provider": "yahoo.com", "user": .string(user), "application": .string(application),
            "redirect_uri": .string(redirectURI),
        ]
        if !nonce.isEmpty { order["nonce"] = .string(nonce) }
        return IssuedCode(
            provider: provider, code: try await issued(.object(order), "code"),
            members: ["redirect_uri": .string(redirectURI), "nonce": .string(nonce)])
    }

    /// Returns a code of X that is bound to a verifier by S256.
    func xCode(
        user: String = "alice", application: String = "ours", verifier: String? = nil
    ) async throws -> IssuedCode {
        let redirectURI = lab.application.xRedirectURI
        let verifier = try verifier ?? Base64.urlEncode(SecureRandom.bytes(32))
        let order: [String: JSON] = [
            "provider": "twitter.com", "protocol": "oauth2", "user": .string(user),
            "application": .string(application), "redirect_uri": .string(redirectURI),
            "code_challenge": .string(Self.challenge(verifier)),
        ]
        return IssuedCode(
            provider: "twitter.com", code: try await issued(.object(order), "code"),
            members: ["redirect_uri": .string(redirectURI), "code_verifier": .string(verifier)])
    }

    func exchange(
        _ issued: IssuedCode, provider: String? = nil, clientID: String? = nil, further: [String: JSON] = [:]
    ) -> Request {
        let own: [String: JSON] = ["type": "authorization_code", "code": .string(issued.code)]
        return exchange(
            .object(own.merging(issued.members) { $1 }), provider: provider ?? issued.provider, clientID: clientID,
            further: further)
    }

    /// Returns the uid of a correct sign-in of that user with Yahoo.
    func uid(ofPerson user: String) async throws -> String {
        guard let uid = try await honest(exchange(try await yahooCode(user: user)))["uid"] else {
            throw Inconclusive("A sign-in returned no uid.")
        }
        return uid
    }

    /// Returns one member of the response of the stand-ins to `order`.
    func issued(_ order: JSON, _ member: String) async throws -> String {
        guard let text = try await standIns.issue(order)[member]?.string else {
            throw Inconclusive("The stand-in issued no \(member).")
        }
        await secret(text)
        return text
    }

    /// An address other than that of the attack, if the target offers several.
    var elsewhere: String? { lab.offers.contains(.addresses) ? "127.250.1.9" : nil }
}
