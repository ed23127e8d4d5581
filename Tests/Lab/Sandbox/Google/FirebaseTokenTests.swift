import Jansson
import OpenSSL
import Sandbox
import Testing

@Suite("Firebase's ID tokens and App Check tokens")
struct FirebaseTokenTests {
    private static let jwkPath = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    private static let certificatePath = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"

    @Test("Keys are published as key set and as certificates, with the time for which they may be cached")
    func documents() async throws {
        try await SandboxClient.withSandbox { client in
            let token = try #require(IDToken(try await client.firebaseIDToken(["uid": .string("u1")])))
            let keys = try await client.get(client.addresses.google + Self.jwkPath)
            #expect(token.isRSASigned(under: keys.json))
            let certificates = try await client.get(client.addresses.google + Self.certificatePath)
            let pem = certificates.json?[token.header["kid"]?.string ?? ""]?.string
            let key = try RSAPublicKey(pem: try #require(pem))
            #expect(key.isValid(signature: token.signature, for: token.signingInput))
            for reply in [keys, certificates] {
                #expect(reply[field: "cache-control"]?.contains("max-age=21600") == true)
            }
        }
    }

    @Test("A rotated key stays if the command says so, and is removed otherwise", arguments: [true, false])
    func rotation(keepsOld: Bool) async throws {
        try await SandboxClient.withSandbox { client in
            let token = try #require(IDToken(try await client.firebaseIDToken(["uid": .string("u1")])))
            let order: JSON = .object(["keys": .string("id_token"), "keep_old": .bool(keepsOld)])
            let kid = try await client.control("POST", "/google/rotate", order)["kid"]
            let keys = try await client.get(client.addresses.google + Self.jwkPath).json
            #expect(keys?["keys"]?.array?.count == (keepsOld ? 2 : 1))
            #expect(token.isRSASigned(under: keys) == keepsOld)
            let next = try #require(IDToken(try await client.firebaseIDToken(["uid": .string("u1")])))
            #expect(next.header["kid"] == kid)
            #expect(next.isRSASigned(under: keys))
        }
    }

    @Test("A token contains the user's profile, and developer claims do not replace Google's")
    func user() async throws {
        try await SandboxClient.withSandbox { client in
            try await client.control(
                "PUT", "/google/users",
                .object([
                    "uid": .string("u1"), "email": .string("a@example.com"), "email_verified": .bool(true),
                    "display_name": .string("A"),
                    "link": .object(["providerId": .string("yahoo.com"), "rawId": .string("R")]),
                ]))
            let text = try await client.firebaseIDToken([
                "uid": .string("u1"),
                "claims": .object(["email": .string("b@example.com"), "idp": .string("yahoo.com")]),
            ])
            let claims = try #require(IDToken(text)).claims
            #expect(claims["email"]?.string == "a@example.com")
            #expect(claims["email_verified"]?.bool == true)
            #expect(claims["name"]?.string == "A")
            #expect(claims["idp"]?.string == "yahoo.com")
            #expect(claims["firebase"]?["identities"]?["yahoo.com"]?.array == [.string("R")])
        }
    }

    @Test("Age, sign-in, project, tenant and single claims are as the command says")
    func orders() async throws {
        try await SandboxClient.withSandbox { client in
            let text = try await client.firebaseIDToken([
                "uid": .string("u1"), "tenant_id": .string("tenant-1"), "sign_in_provider": .string("anonymous"),
                "issued_seconds_ago": .integer(3601), "authenticated_seconds_ago": .integer(7200),
                "project_id": .string("other"), "set": .object(["sub": .string("")]),
                "remove": .array([.string("user_id")]),
            ])
            let claims = try #require(IDToken(text)).claims
            #expect(claims["exp"]?.integer == SandboxClient.start - 1)
            #expect(claims["auth_time"]?.integer == SandboxClient.start - 7200)
            #expect(claims["iss"]?.string == "https://securetoken.google.com/other")
            #expect(claims["aud"]?.string == "other")
            #expect(claims["sub"]?.string == "")
            #expect(claims["user_id"] == nil)
            #expect(claims["firebase"]?["tenant"]?.string == "tenant-1")
            #expect(claims["firebase"]?["sign_in_provider"]?.string == "anonymous")
        }
    }

    @Test(
        "Tokens signed with a foreign key or HMAC, or unsigned, do not verify with the key set",
        arguments: ["foreign", "hs256", "none"])
    func signatures(kind: String) async throws {
        try await SandboxClient.withSandbox { client in
            let token = try #require(
                IDToken(try await client.firebaseIDToken(["uid": .string("u1"), "key": .string(kind)])))
            let keys = try await client.get(client.addresses.google + Self.jwkPath).json
            #expect(keys?["keys"]?.array?.first?["kid"] == token.header["kid"])
            #expect(!token.isRSASigned(under: keys))
            let algorithms = ["foreign": "RS256", "hs256": "HS256", "none": "none"]
            #expect(token.header["alg"]?.string == algorithms[kind])
            #expect(token.signature.count == ["foreign": 256, "hs256": 32, "none": 0][kind])
        }
    }

    @Test(
        "A token that is expired, of another project or signed by another key is refused by a lookup",
        arguments: [
            ("issued_seconds_ago", JSON.integer(3600), "TOKEN_EXPIRED"),
            ("project_id", .string("other"), "INVALID_ID_TOKEN"), ("key", .string("foreign"), "INVALID_ID_TOKEN"),
            ("key", .string("none"), "INVALID_ID_TOKEN"),
            ("authenticated_seconds_ago", .integer(3601), "TOKEN_EXPIRED"),
            ("set", .object(["aud": .string("other")]), "INVALID_ID_TOKEN"),
            ("set", .object(["iss": .string("https://securetoken.google.com/other")]), "INVALID_ID_TOKEN"),
            ("header", .object(["alg": .string("RS384")]), "INVALID_ID_TOKEN"),
            ("tenant_id", .string("tenant-1"), "USER_NOT_FOUND"), ("uid", .string("u2"), "USER_NOT_FOUND"),
        ])
    func lookup(name: String, value: JSON, message: String) async throws {
        try await SandboxClient.withSandbox { client in
            let since = JSON.integer(SandboxClient.start - 3600)
            try await client.control("PUT", "/google/users", .object(["uid": .string("u1"), "valid_since": since]))
            let honest = try await client.firebaseIDToken(["uid": .string("u1")])
            #expect(try await client.application("lookup", .object(["idToken": .string(honest)])).status == 200)
            let wrong = try await client.firebaseIDToken(["uid": .string("u1")].merging([name: value]) { $1 })
            let reply = try await client.application("lookup", .object(["idToken": .string(wrong)]))
            #expect(reply.googleMessage == message)
        }
    }

    @Test("App Check tokens are created for any application, and consumed once")
    func appCheck() async throws {
        try await SandboxClient.withSandbox { client in
            func make(_ members: [String: JSON] = [:]) async throws -> String {
                let order = ["app_id": JSON.string("1:1:ios:a")].merging(members) { $1 }
                return try await client.control("POST", "/google/app-check-token", .object(order))["app_check_token"]?
                    .string ?? ""
            }
            let text = try await make()
            let token = try #require(IDToken(text))
            for path in ["/v1/jwks", "/v1beta/jwks"] {
                #expect(token.isRSASigned(under: try await client.get(client.addresses.google + path).json))
            }
            #expect(token.claims["sub"]?.string == "1:1:ios:a")
            #expect(token.claims["iss"]?.string == "https://firebaseappcheck.googleapis.com/123456789012")
            #expect(
                token.claims["aud"]?.array == [.string("projects/123456789012"), .string("projects/sandbox")])
            #expect(token.header["typ"]?.string == "JWT")
            try await client.control("POST", "/google/rotate", .object(["keys": .string("app_check")]))
            let next = try #require(IDToken(try await make()))
            #expect(next.header["kid"] != token.header["kid"])
            let bearer = try await client.accessToken(scopes: [SandboxClient.cloudPlatform])
            func consume(_ text: String) async throws -> Reply {
                try await client.postJSON(
                    client.addresses.google + "/v1beta/projects/sandbox:verifyAppCheckToken",
                    .object(["app_check_token": .string(text)]), header: ["Authorization: Bearer \(bearer)"])
            }
            #expect(try await consume(text).json == .object([:]))
            #expect(try await consume(text).json?["alreadyConsumed"]?.bool == true)
            for (name, value) in [
                ("issued_seconds_ago", JSON.integer(3600)), ("project_id", .string("other")),
                ("key", .string("foreign")),
            ] {
                #expect(try await consume(try await make([name: value])).status == 400)
            }
        }
    }
}
