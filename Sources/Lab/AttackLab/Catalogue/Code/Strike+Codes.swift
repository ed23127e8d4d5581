internal import Jansson
internal import OpenSSL

/// An authorization code that an application got by itself, and what belongs to it.
struct IssuedCode: Sendable {
    let provider: String
    let code: String
    /// As `credential` of `POST /v1/exchange`.
    var members: [String: JSON]

    func with(_ name: String, _ value: JSON?) -> IssuedCode {
        var changed = self
        changed.members[name] = value
        return changed
    }
}

/// The steps of codes that an application redeems by `POST /v1/exchange`.
extension Strike {
    /// A code of Yahoo's, whose ID token will hold `nonce`.
    ///
    /// - `nonce`: nil for one of its own, an empty one for a request that had none.
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

    /// A code of X's, bound to a verifier by S256.
    func xCode(
        user: String = "alice", application: String = "ours", verifier: String? = nil, scope: String? = nil
    ) async throws -> IssuedCode {
        let redirectURI = lab.application.xRedirectURI
        let verifier = try verifier ?? Base64.urlEncode(SecureRandom.bytes(32))
        var order: [String: JSON] = [
            "provider": "twitter.com", "protocol": "oauth2", "user": .string(user),
            "application": .string(application), "redirect_uri": .string(redirectURI),
            "code_challenge": .string(Self.challenge(verifier)),
        ]
        if let scope { order["scope"] = .string(scope) }
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

    /// The uid that a good sign-in of that person's at Yahoo gives.
    func uid(ofPerson user: String) async throws -> String {
        guard let uid = try await honest(exchange(try await yahooCode(user: user)))["uid"] else {
            throw Inconclusive("A sign-in gave no uid.")
        }
        return uid
    }

    /// One member of what the stand-ins issue for `order`.
    func issued(_ order: JSON, _ member: String) async throws -> String {
        guard let text = try await standIns.issue(order)[member]?.string else {
            throw Inconclusive("The stand-in issued no \(member).")
        }
        await secret(text)
        return text
    }

    /// An address that is not the attack's own, where there is a choice.
    var elsewhere: String? { lab.offers.contains(.addresses) ? "127.250.1.9" : nil }
}

extension Expectation {
    /// 502 with one of these reasons.
    static func unusable(_ reasons: String...) -> Self {
        Self(statuses: [502], errors: ["temporarily_unavailable"], reasons: Set(reasons))
    }

    /// 504 `provider_timeout`.
    static let timeout = Self(
        statuses: [504], errors: ["temporarily_unavailable"], reasons: ["provider_timeout"])
}

extension TokenDraft {
    /// `iat`, in seconds since 1970.
    var issuedAt: Int64 {
        guard case .number(let seconds)? = claims["iat"] else { return 0 }
        return seconds
    }
}
