import Jansson
import OpenSSL
import Sandbox
import Testing

@Suite("Yahoo's ID tokens")
struct YahooIDTokenTests {
    private struct Issued {
        let token: IDToken
        let accessToken: String
        let keys: JSON?
    }

    private static func issue(
        _ client: SandboxClient, spoiledBy defect: [String: JSON]? = nil, user: String = "alice",
        scope: String = "openid profile email"
    ) async throws -> Issued {
        if let defect { try await client.control("PUT", "/claims", .object(defect)) }
        let answer = try await client.control(
            "POST", "/issue",
            .object([
                "provider": .string("yahoo.com"), "user": .string(user), "nonce": .string("no"),
                "scope": .string(scope),
            ]))
        let keys = try await client.get(client.addresses.yahoo + "/openid/v1/certs").json
        return Issued(
            token: try #require(IDToken(answer["id_token"]?.string)),
            accessToken: answer["access_token"]?.string ?? "", keys: keys)
    }

    @Test("ID tokens are signed with ES256, have no typ, and contain the claims of the scopes")
    func honest() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await Self.issue(client)
            let claims = issued.token.claims
            #expect(issued.token.header.object?.keys.sorted() == ["alg", "kid"])
            #expect(issued.token.header["alg"]?.string == "ES256")
            #expect(issued.token.isSigned(under: issued.keys))
            #expect(claims["iss"]?.string == client.addresses.yahoo)
            #expect(claims["aud"]?.string == client.ours.clientID)
            #expect(claims["sub"]?.string == SandboxUser.alice.yahooSubject)
            #expect(claims["nonce"]?.string == "no")
            #expect(claims["iat"]?.integer == SandboxClient.start)
            #expect(claims["exp"]?.integer == SandboxClient.start + 3600)
            #expect(claims["email"]?.string == "alice@example.com")
            #expect(claims["email_verified"]?.bool == true)
        }
    }

    @Test("at_hash is padded base64")
    func accessTokenHash() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await Self.issue(client)
            let hash = issued.token.claims["at_hash"]?.string
            #expect(hash?.hasSuffix("==") == true)
            let decoded = hash.flatMap { IDToken.decode($0.dropLast(2)) }
            #expect(decoded == Array(SHA256.hash(Array(issued.accessToken.utf8)).prefix(16)))
        }
    }

    @Test("Scopes select the claims, and a user may lack some")
    func members() async throws {
        try await SandboxClient.withSandbox { client in
            let bare = try await Self.issue(client, scope: "openid").token.claims
            #expect(bare["name"] == nil)
            #expect(bare["email"] == nil)
            let kobayashi = try await Self.issue(client, user: "kobayashi").token.claims
            #expect(kobayashi["name"]?.string == "小林")
            #expect(kobayashi["email"] == nil)
            let carol = try await Self.issue(client, user: "carol").token.claims
            #expect(carol["email_verified"]?.bool == false)
        }
    }

    @Test("A configured defect changes as many tokens as configured")
    func claims() async throws {
        try await SandboxClient.withSandbox { client in
            let order: [String: JSON] = [
                "set": .object(["aud": .string("other")]), "remove": .array([.string("nonce")]),
                "duplicate": .object(["sub": .string("twin")]),
                "header": .object(["typ": .string("at+jwt")]), "times": .integer(1),
            ]
            let spoiled = try await Self.issue(client, spoiledBy: order)
            #expect(spoiled.token.payloadText.contains("\"aud\":\"other\""))
            #expect(!spoiled.token.payloadText.contains("nonce"))
            #expect(spoiled.token.payloadText.hasSuffix(",\"sub\":\"twin\"}"))
            #expect(spoiled.token.header["typ"]?.string == "at+jwt")
            #expect(spoiled.token.isSigned(under: spoiled.keys))
            #expect(try await Self.issue(client).token.claims["nonce"]?.string == "no")
        }
    }

    @Test("A token may have any text as payload")
    func text() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await Self.issue(client, spoiledBy: ["payload_text": .string("[1]")])
            #expect(issued.token.payloadText == "[1]")
        }
    }

    @Test("A token may be signed with RS256 and the id of the RSA key")
    func rsa() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await Self.issue(client, spoiledBy: ["key": .string("rsa")])
            #expect(issued.token.header["alg"]?.string == "RS256")
            #expect(issued.token.isRSASigned(under: issued.keys))
        }
    }

    @Test(
        "A signature may be foreign, absent or symmetric, and does not verify with the key of its id",
        arguments: [("foreign", "ES256", 64), ("none", "none", 0), ("hs256", "HS256", 32)])
    func signature(kind: String, algorithm: String, count: Int) async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await Self.issue(client, spoiledBy: ["key": .string(kind)])
            #expect(issued.token.header["alg"]?.string == algorithm)
            #expect(issued.token.signature.count == count)
            #expect(!issued.token.isSigned(under: issued.keys))
            let ids = issued.keys?["keys"]?.array?.map { $0["kid"] }
            #expect(ids?.contains(issued.token.header["kid"]) == true)
        }
    }

    @Test("The secret of a symmetric signature is the PEM text of the public key")
    func symmetric() async throws {
        try await SandboxClient.withSandbox { client in
            let issued = try await Self.issue(client, spoiledBy: ["key": .string("hs256")])
            let key = issued.keys?["keys"]?.array?.first { $0["kid"] == issued.token.header["kid"] }
            let x = IDToken.decode(key?["x"]?.string ?? "") ?? []
            let y = IDToken.decode(key?["y"]?.string ?? "") ?? []
            let pem = PublicKeyPEM.text(x: x, y: y)
            #expect(try ECPublicKey(pem: pem).x == x)
            #expect(
                issued.token.signature
                    == HMACSHA256.authenticationCode(for: issued.token.signingInput, key: Array(pem.utf8)))
        }
    }

    @Test("IDT-41: a malleated signature differs from the original, and is valid too")
    func malleated() async throws {
        let key = try P256PrivateKey.generate()
        let signature = try key.signature(for: [1])
        let other = MalleatedSignature.other(than: signature)
        #expect(other != signature)
        #expect(key.publicKey.isValid(signature: other, for: [1]))
        try await SandboxClient.withSandbox { client in
            let issued = try await Self.issue(client, spoiledBy: ["key": .string("malleated")])
            #expect(issued.token.isSigned(under: issued.keys))
        }
    }
}
