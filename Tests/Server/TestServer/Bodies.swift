import JOSE
package import Jansson
import OpenSSL

/// Valid request bodies, in which a test changes one thing.
enum Bodies {
    static let nonce: JSON = ["client_id": "my-app", "provider": "yahoo.com"]

    static let signIn: JSON = [
        "client_id": "my-app", "provider": "yahoo.com", "redirect_uri": "com.example.app:/yahoo",
    ]

    static func exchange(_ provider: String, _ credential: JSON) -> JSON {
        ["client_id": "my-app", "provider": .string(provider), "credential": credential]
    }

    /// A well-formed code that was never issued.
    static let inventedCode = exchange(
        "yahoo.com",
        [
            "type": "authorization_code", "code": "invented", "redirect_uri": "com.example.app:/yahoo",
            "nonce": "n-0S6_WzA2Mj",
        ])

    static let inventedIDToken = exchange("yahoo.com", ["type": "id_token", "id_token": "a.b.c", "nonce": "n"])
}

extension TestServer {
    /// A nonce for the provider, and the verifier that goes with the credential.
    func nonce(for provider: String = "yahoo.com") async throws -> (value: String, verifier: String) {
        let response = try await post("/v1/nonce", Bodies.nonce.setting("provider", to: .string(provider))).json
        return (response?["nonce"]?.string ?? "", response?["nonce_verifier"]?.string ?? "")
    }

    /// A fresh ID token of Yahoo's, with what a test gets wrong in it.
    func idTokenBody(
        application: String = "ours", claims: JSON? = nil, provider: String = "yahoo.com"
    ) async throws -> JSON {
        let nonce = try await nonce(for: provider)
        let issued = try await standIns.yahoo(nonce: nonce.value, application: application, claims: claims)
        return Bodies.exchange(
            provider,
            ["type": "id_token", "id_token": .string(issued.idToken), "nonce": .string(nonce.verifier)])
    }

    /// A fresh code of Yahoo's.
    func codeBody(
        provider: String = "yahoo.com", user: String = "alice", claims: JSON? = nil
    ) async throws -> JSON {
        let issued = try await standIns.yahoo(nonce: "n-0S6_WzA2Mj", user: user)
        if let claims { try await standIns.spoilNextIDToken(claims) }
        return Bodies.exchange(
            provider,
            [
                "type": "authorization_code", "code": .string(issued.code), "redirect_uri": "com.example.app:/yahoo",
                "nonce": "n-0S6_WzA2Mj",
            ])
    }

    /// A fresh code of Yahoo's, of a person who has logged in just now.
    func freshCodeBody(user: String = "alice") async throws -> JSON {
        try await codeBody(user: user, claims: ["set": ["auth_time": .integer(clock.now.seconds)]])
    }

    /// A fresh code of X's.
    func xCodeBody(user: String = "alice") async throws -> JSON {
        Bodies.exchange(
            "twitter.com",
            [
                "type": "authorization_code", "code": .string(try await standIns.xCode(user: user)),
                "redirect_uri": "com.example.app:/x", "code_verifier": .string(StandIns.verifier),
            ])
    }

    /// A fresh OAuth 1.0a pair of X's.
    func tokenPairBody(application: String = "ours") async throws -> JSON {
        let pair = try await standIns.xTokenPair(application: application)
        return Bodies.exchange(
            "twitter.com",
            [
                "type": "oauth1_token", "oauth_token": .string(pair.token), "oauth_token_secret": .string(pair.secret),
                "nonce": .string(try await nonce(for: "twitter.com").verifier),
            ])
    }

    /// A fresh access token, to be introspected at its provider.
    func accessTokenBody(application: String = "ours", provider: String = "asking.example") async throws -> JSON {
        let issued = try await standIns.yahoo(nonce: nil, application: application)
        return Bodies.exchange(
            provider,
            [
                "type": "access_token", "access_token": .string(issued.accessToken),
                "nonce": .string(try await nonce(for: provider).verifier),
            ])
    }

    /// The end of a flow that was begun at `POST /v1/signin`, with the parameters that come back.
    ///
    /// `parameters`: behind the question mark, `STATE` standing for the state, `CODE` for a code that will do.
    func callbackBody(_ parameters: String = "code=CODE&state=STATE") async throws -> JSON {
        let begun = try await post("/v1/signin", Bodies.signIn).json
        let url = begun?["authorization_url"]?.string ?? ""
        let query = url.split(separator: "?", maxSplits: 1).last ?? ""
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let values = Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
        let code = try await standIns.yahoo(nonce: values["nonce"]).code
        let callback = parameters.replacing("STATE", with: values["state"] ?? "").replacing("CODE", with: code)
        return Bodies.exchange(
            "yahoo.com",
            [
                "type": "callback", "session": .string(begun?["session"]?.string ?? ""),
                "callback_url": .string("com.example.app:/yahoo?" + callback),
            ])
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral number: Int64) { self = .integer(number) }
    package init(booleanLiteral isTrue: Bool) { self = .bool(isTrue) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(Dictionary(uniqueKeysWithValues: members))
    }
}

extension JSON {
    var text: String { String(decoding: serialized(), as: UTF8.self) }

    /// Returns the value with one member, at any depth, replaced or removed.
    func setting(_ path: String..., to value: JSON?) -> JSON {
        setting(path[...], to: value)
    }

    private func setting(_ path: ArraySlice<String>, to value: JSON?) -> JSON {
        guard let name = path.first, var members = object else { return value ?? self }
        if path.count == 1 {
            members[name] = value
        } else {
            members[name] = members[name]?.setting(path.dropFirst(), to: value)
        }
        return .object(members)
    }
}
