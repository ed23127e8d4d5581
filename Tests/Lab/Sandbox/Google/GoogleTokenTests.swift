import Jansson
import LabSystem
import OpenSSL
import Sandbox
import Testing

@Suite("Google's token endpoint")
struct GoogleTokenTests {
    private static func ask(
        _ client: SandboxClient, _ assertion: String, grantType: String = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    ) async throws -> Reply {
        try await client.post(
            client.addresses.google + "/token", form: [("grant_type", grantType), ("assertion", assertion)])
    }

    @Test("A signed assertion gets an access token that works for its scopes until it expires")
    func grant() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let reply = try await Self.ask(client, try account.assertion())
            #expect(reply.status == 200)
            #expect(reply.json?["token_type"]?.string == "Bearer")
            #expect(reply.json?["expires_in"]?.integer == 3599)
            let token = reply.json?["access_token"]?.string ?? ""
            #expect(try await client.admin(":lookup", .object([:]), bearer: token).status == 200)
            try await client.control("POST", "/clock", .object(["offset_seconds": .integer(3600)]))
            let late = try await client.admin(":lookup", .object([:]), bearer: token)
            #expect(late.status == 401)
            #expect(late.json?["error"]?["status"]?.string == "UNAUTHENTICATED")
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var claims: [String: JSON] = [:]
        var header: [String: JSON] = [:]
        var error = "invalid_grant"
        let description: String
    }

    private static let times = "short-lived token"
    static let faults = [
        Fault(testDescription: "issuer", claims: ["iss": .string("x@y")], description: "account not found"),
        Fault(testDescription: "audience", claims: ["aud": .string("http://127.0.0.1/token")], description: "audience"),
        Fault(testDescription: "audience in an array", claims: ["aud": .array([])], description: "audience"),
        Fault(testDescription: "expired", claims: ["exp": .integer(SandboxClient.start)], description: times),
        Fault(
            testDescription: "more than an hour", claims: ["exp": .integer(SandboxClient.start + 3601)],
            description: times),
        Fault(testDescription: "ahead", claims: ["iat": .integer(SandboxClient.start + 61)], description: times),
        Fault(testDescription: "without iat", claims: ["iat": .null], description: times),
        Fault(testDescription: "without exp", claims: ["exp": .null], description: times),
        Fault(testDescription: "text for a time", claims: ["exp": .string("1700000300")], description: times),
        Fault(testDescription: "none", header: ["alg": .string("none")], description: "parse"),
        Fault(testDescription: "other type", header: ["typ": .string("at+jwt")], description: "parse"),
        Fault(testDescription: "other key", header: ["kid": .string("k2")], description: "Invalid JWT Signature."),
        Fault(testDescription: "no scope", claims: ["scope": .null], error: "invalid_scope", description: "scope"),
        Fault(
            testDescription: "unknown scope", claims: ["scope": .string("openid")], error: "invalid_scope",
            description: "scope"),
        Fault(
            testDescription: "delegation", claims: ["sub": .string("boss@example.com")], error: "unauthorized_client",
            description: "unauthorized"),
    ]

    @Test("An assertion with one error is refused with Google's error", arguments: faults)
    func refusal(fault: Fault) async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let reply = try await Self.ask(client, try account.assertion(fault.claims, header: fault.header))
            #expect(reply.status == 400)
            #expect(reply.json?["error"]?.string == fault.error)
            #expect(reply.json?["error_description"]?.string?.contains(fault.description) == true)
        }
    }

    @Test("A signature of another key is refused, and a removed account is not found")
    func otherKey() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let stranger = try RSAPrivateKey.generate()
            let forged = try await Self.ask(client, try account.assertion(signedBy: stranger))
            #expect(forged.json?["error_description"]?.string == "Invalid JWT Signature.")
            let token = try await Self.ask(client, try account.assertion()).json?["access_token"]?.string
            try await client.control("DELETE", "/google/service-accounts", .object(["email": .string(account.email)]))
            let forgotten = try await Self.ask(client, try account.assertion())
            #expect(forgotten.json?["error_description"]?.string == "Invalid grant: account not found")
            #expect(try await client.admin(":lookup", .object([:]), bearer: token).status == 401)
        }
    }

    @Test("Another or a missing grant type, and a parameter that occurs twice, are refused")
    func grantTypes() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let assertion = try account.assertion()
            let other = try await Self.ask(client, assertion, grantType: "client_credentials")
            #expect(other.json?["error"]?.string == "unsupported_grant_type")
            let url = client.addresses.google + "/token"
            let none = try await client.post(url, form: [("assertion", assertion)])
            #expect(none.json?["error"]?.string == "invalid_request")
            let grant = ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
            let twice = try await client.post(url, form: [grant, grant, ("assertion", assertion)])
            #expect(twice.json?["error"]?.string == "invalid_request")
            let bare = try await client.post(url, form: [grant])
            #expect(bare.json?["error_description"]?.string == "Required parameter is missing: assertion")
        }
    }

    @Test("A service account is registered by email address and public key")
    func registration() async throws {
        let account = try TestServiceAccount(email: "late@sandbox.iam.gserviceaccount.com")
        try await SandboxClient.withSandbox { client in
            #expect(try await Self.ask(client, try account.assertion()).status == 400)
            let pem = try account.key.selfSignedCertificate(
                commonName: "late", serialNumber: 1, notBefore: 0, notAfter: 1)
            try await client.control(
                "PUT", "/google/service-accounts",
                .object(["email": .string(account.email), "public_key": .string(pem), "key_id": .string("k1")]))
            #expect(try await Self.ask(client, try account.assertion()).status == 200)
            let known = try await client.control("GET", "/google")["service_accounts"]?.array
            #expect(known?.contains(.string(account.email)) == true)
        }
    }

    @Test("The metadata server answers only requests in the form of Google's libraries")
    func metadata() async throws {
        try await SandboxClient.withSandbox { client in
            let base = client.addresses.google + "/computeMetadata/v1/"
            let flavor = "Metadata-Flavor: Google"
            for path in ["instance/service-accounts/default/email", "project/project-id"] {
                #expect(try await client.get(base + path).status == 403)
                #expect(try await client.get(base + path, header: [flavor, "X-Forwarded-For: 1.2.3.4"]).status == 403)
            }
            let email = try await client.get(base + "instance/service-accounts/default/email", header: [flavor])
            #expect(email.text == "default@sandbox.iam.gserviceaccount.com")
            #expect(email[field: "metadata-flavor"] == "Google")
            #expect(try await client.get(base + "project/project-id", header: [flavor]).text == "sandbox")
            let token = try await client.get(base + "instance/service-accounts/default/token", header: [flavor])
            let bearer = token.json?["access_token"]?.string
            #expect(try await client.admin(":lookup", .object([:]), bearer: bearer).status == 200)
            let narrow = try await client.get(
                base + "instance/service-accounts/default/token?scopes=https://www.googleapis.com/auth/firebase",
                header: [flavor])
            let narrowBearer = narrow.json?["access_token"]?.string
            #expect(try await client.admin(":lookup", .object([:]), bearer: narrowBearer).status == 403)
            let account = try await client.get(base + "instance/service-accounts/default/", header: [flavor])
            #expect(account.json?["email"]?.string == email.text)
        }
    }

    @Test("The certificate of an account's own key is published beside that of the key that Google manages")
    func ownCertificate() async throws {
        let account = try TestServiceAccount()
        let certificate = try GoogleServiceAccount.certificate(
            for: account.email, key: account.key, now: SandboxClient.start)
        #expect(CertificateDates(pem: certificate)?.notBefore == SandboxClient.start)
        #expect(try RSAPublicKey(pem: certificate).modulus == account.key.publicKey.modulus)
        let settings = GoogleSettings(serviceAccounts: [
            GoogleServiceAccount(
                email: account.email, keyID: "k1", publicKey: account.key.publicKey, certificate: certificate)
        ])
        try await SandboxClient.withSandbox(google: settings) { client in
            let url = client.addresses.google + "/robot/v1/metadata/x509/" + account.email
            let published = try await client.get(url).json?.object
            #expect(published?["k1"]?.string == certificate)
            #expect(published?.count == 2)
        }
    }

    @Test("signBlob signs with a key that is published for the account, and requires the scope cloud-platform")
    func signBlob() async throws {
        let foreign = try TestServiceAccount(email: "a@other.iam.gserviceaccount.com", projectID: "other")
        try await SandboxClient.withSandbox(google: foreign.settings) { client in
            let email = "default@sandbox.iam.gserviceaccount.com"
            func sign(_ scope: String, _ email: String, _ payload: String = "bWVzc2FnZQ==") async throws -> Reply {
                try await client.postJSON(
                    client.addresses.google + "/v1/projects/-/serviceAccounts/\(email):signBlob",
                    .object(["payload": .string(payload)]),
                    header: ["Authorization: Bearer \(try await client.accessToken(scopes: [scope]))"])
            }
            let signed = try await sign(SandboxClient.cloudPlatform, email)
            #expect(signed.status == 200)
            let url = client.addresses.google + "/robot/v1/metadata/x509/" + email
            let certificate = try await client.get(url).json?[signed.json?["keyId"]?.string ?? ""]?.string
            let key = try RSAPublicKey(pem: try #require(certificate))
            let signature = try #require(
                signed.json?["signedBlob"]?.string.flatMap { IDToken.decode($0.replacing("=", with: "")) })
            #expect(key.isValid(signature: signature, for: Array("message".utf8)))

            #expect(try await sign(SandboxClient.identityToolkit, email).status == 403)
            #expect(try await sign(SandboxClient.cloudPlatform, foreign.email).status == 403)
            #expect(try await sign(SandboxClient.cloudPlatform, "nobody@sandbox.iam.gserviceaccount.com").status == 404)
            #expect(try await sign(SandboxClient.cloudPlatform, email, "not base64!").status == 400)
        }
    }
}
