import Jansson
import OpenSSL
import Sandbox
import Testing

@Suite("Identity Toolkit for applications")
struct GoogleClientTests {
    private static func signIn(
        _ client: SandboxClient, _ token: String, tenant: String? = nil
    ) async throws -> Reply {
        var body: [String: JSON] = ["token": .string(token), "returnSecureToken": .bool(true)]
        body["tenantId"] = tenant.map { .string($0) }
        return try await client.application("signInWithCustomToken", .object(body))
    }

    @Test("A custom token creates a user, and its claims are at the top level of the ID token, also after a refresh")
    func customToken() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let custom = try account.customToken(["claims": .object(["idp": .string("yahoo.com")])])
            let reply = try await Self.signIn(client, custom)
            #expect(reply.status == 200)
            #expect(reply.json?["isNewUser"]?.bool == true)
            #expect(reply.json?["expiresIn"]?.string == "3600")
            #expect(try await Self.signIn(client, custom).json?["isNewUser"]?.bool == false)
            let refreshToken = reply.json?["refreshToken"] ?? .null
            let refreshed = try await client.refresh(refreshToken.string ?? "")
            #expect(refreshed.json?["user_id"]?.string == "u1")
            let command = JSON.object(["refresh_token": refreshToken])
            #expect(try await client.control("POST", "/google/refresh", command)["user_id"]?.string == "u1")
            let keys = try await client.get(
                client.addresses.google + "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
            ).json
            for text in [reply.json?["idToken"]?.string, refreshed.json?["id_token"]?.string] {
                let token = try #require(IDToken(text))
                #expect(token.isRSASigned(under: keys))
                #expect(token.header["alg"]?.string == "RS256")
                #expect(token.claims["iss"]?.string == "https://securetoken.google.com/sandbox")
                #expect(token.claims["aud"]?.string == "sandbox")
                #expect(token.claims["sub"]?.string == "u1")
                #expect(token.claims["user_id"]?.string == "u1")
                #expect(token.claims["auth_time"]?.integer == SandboxClient.start)
                #expect(token.claims["exp"]?.integer == SandboxClient.start + 3600)
                #expect(token.claims["idp"]?.string == "yahoo.com")
                #expect(token.claims["firebase"]?["sign_in_provider"]?.string == "custom")
            }
            let user = try await GoogleAccountTests.user(client, "u1")
            #expect(user?["customAuth"]?.bool == true)
            #expect(user?["lastLoginAt"]?.string == String(SandboxClient.start * 1000))
            #expect(user?["lastRefreshAt"]?.string == "2023-11-14T22:13:20Z")
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var claims: [String: JSON] = [:]
        var header: [String: JSON] = [:]
        var message = "INVALID_CUSTOM_TOKEN"
    }

    static let faults = [
        Fault(testDescription: "issuer", claims: ["iss": .string("x@y"), "sub": .string("x@y")]),
        Fault(testDescription: "subject", claims: ["sub": .string("x@y")]),
        Fault(testDescription: "no subject", claims: ["sub": .null]),
        Fault(testDescription: "audience", claims: ["aud": .string("sandbox")]),
        Fault(testDescription: "expired", claims: ["exp": .integer(SandboxClient.start)]),
        Fault(testDescription: "more than an hour", claims: ["exp": .integer(SandboxClient.start + 3601)]),
        Fault(testDescription: "ahead", claims: ["iat": .integer(SandboxClient.start + 61)]),
        Fault(testDescription: "algorithm", header: ["alg": .string("HS256")]),
        Fault(testDescription: "long uid", claims: ["uid": .string(String(repeating: "u", count: 129))]),
        Fault(testDescription: "no uid", claims: ["uid": .null], message: "MISSING_IDENTIFIER"),
        Fault(testDescription: "empty uid", claims: ["uid": .string("")], message: "MISSING_IDENTIFIER"),
        Fault(
            testDescription: "reserved claim", claims: ["claims": .object(["firebase": .null])],
            message: "FORBIDDEN_CLAIM : firebase"),
        Fault(testDescription: "claims in an array", claims: ["claims": .array([])], message: "INVALID_CLAIMS"),
        Fault(
            testDescription: "large claims",
            claims: ["claims": .object(["a": .string(String(repeating: "a", count: 993))])],
            message: "CLAIMS_TOO_LARGE"),
        Fault(testDescription: "tenant", claims: ["tenant_id": .string("tenant-1")], message: "TENANT_ID_MISMATCH"),
    ]

    @Test("A custom token with one error is refused, and creates no user", arguments: faults)
    func refusal(fault: Fault) async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let reply = try await Self.signIn(client, try account.customToken(fault.claims, header: fault.header))
            #expect(reply.status == 400)
            #expect(reply.googleMessage?.hasPrefix(fault.message) == true)
            #expect(try await client.control("GET", "/google/users").array == [])
        }
    }

    @Test("A token that is signed by another key or unsigned, and a missing token, are refused")
    func signatures() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let stranger = try RSAPrivateKey.generate()
            let forged = try await Self.signIn(client, try account.customToken(signedBy: stranger))
            #expect(forged.googleMessage == "INVALID_CUSTOM_TOKEN : Invalid signature")
            let token = try account.customToken(header: ["alg": .string("none")])
            let bare = token.prefix(through: token.lastIndex(of: ".") ?? token.startIndex)
            for text in [token, String(bare), "{\"uid\": \"u1\"}"] {
                #expect(try await Self.signIn(client, text).googleCode == "INVALID_CUSTOM_TOKEN")
            }
            #expect(try await Self.signIn(client, "").googleMessage == "MISSING_CUSTOM_TOKEN")
        }
    }

    @Test("A token that the IAM API signed for an account is valid; an account of another project is a mismatch")
    func signers() async throws {
        let foreign = try TestServiceAccount(email: "a@other.iam.gserviceaccount.com", projectID: "other")
        try await SandboxClient.withSandbox(google: foreign.settings) { client in
            #expect(try await Self.signIn(client, try foreign.customToken()).googleMessage == "CREDENTIAL_MISMATCH")
            let email = JSON.string("default@sandbox.iam.gserviceaccount.com")
            let unsigned = try foreign.customToken(["iss": email, "sub": email], header: ["kid": .null])
            let input = unsigned.prefix { $0 != "." } + "." + unsigned.split(separator: ".")[1]
            let bearer = try await client.accessToken(scopes: [SandboxClient.cloudPlatform])
            let signed = try await client.postJSON(
                client.addresses.google + "/v1/projects/-/serviceAccounts/\(email.string ?? ""):signBlob",
                .object(["payload": .string(SandboxClient.base64(Array(input.utf8)))]),
                header: ["Authorization: Bearer \(bearer)"])
            let blob = signed.json?["signedBlob"]?.string ?? ""
            let signature = try #require(IDToken.decode(blob.replacing("=", with: "")))
            let token = input + "." + TestServiceAccount.base64URL(signature)
            #expect(try await Self.signIn(client, String(token)).status == 200)
        }
    }

    @Test("A disabled user cannot sign in, cannot refresh, and is not returned by a lookup")
    func disabled() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let session = try await Self.signIn(client, try account.customToken()).json
            try await client.control("PUT", "/google/users", .object(["uid": .string("u1"), "disabled": .bool(true)]))
            #expect(try await Self.signIn(client, try account.customToken()).googleMessage == "USER_DISABLED")
            let refreshed = try await client.refresh(session?["refreshToken"]?.string ?? "")
            #expect(refreshed.googleMessage == "USER_DISABLED")
            let looked = try await client.application(
                "lookup", .object(["idToken": session?["idToken"] ?? .null]))
            #expect(looked.googleMessage == "USER_DISABLED")
        }
    }

    @Test("A session that began before validSince has ended, and one of the same second has not")
    func revocation() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let session = try await Self.signIn(client, try account.customToken()).json
            for (since, status) in [(SandboxClient.start, 200), (SandboxClient.start + 1, 400)] {
                let order: JSON = .object(["localId": .string("u1"), "validSince": .string(String(since))])
                #expect(try await client.admin(":update", order).status == 200)
                let reply = try await client.refresh(session?["refreshToken"]?.string ?? "")
                #expect(reply.status == status)
                if status == 400 { #expect(reply.googleMessage == "TOKEN_EXPIRED") }
            }
        }
    }

    @Test("A token with a tenant signs in at that tenant, and the ID token contains it")
    func tenant() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            let custom = try account.customToken(["tenant_id": .string("tenant-1")])
            let reply = try await Self.signIn(client, custom, tenant: "tenant-1")
            #expect(IDToken(reply.json?["idToken"]?.string)?.claims["firebase"]?["tenant"]?.string == "tenant-1")
            #expect(try await Self.signIn(client, custom, tenant: "tenant-2").googleMessage == "TENANT_ID_MISMATCH")
        }
    }

    @Test("An anonymous user is marked as such, and keeps the uid when a password is added")
    func anonymous() async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.application("signUp", .object(["returnSecureToken": .bool(true)]))
            let token = try #require(IDToken(reply.json?["idToken"]?.string))
            #expect(token.claims["firebase"]?["sign_in_provider"]?.string == "anonymous")
            #expect(token.claims["provider_id"]?.string == "anonymous")
            let upgraded = try await client.application(
                "signUp",
                .object([
                    "idToken": reply.json?["idToken"] ?? .null, "email": .string("a@example.com"),
                    "password": .string("secret"),
                ]))
            #expect(upgraded.json?["localId"] == token.claims["sub"])
            let signedIn = IDToken(upgraded.json?["idToken"]?.string)
            #expect(signedIn?.claims["firebase"]?["sign_in_provider"]?.string == "password")
            #expect(signedIn?.claims["firebase"]?["identities"]?["email"]?.array == [.string("a@example.com")])
            #expect(signedIn?.claims["email_verified"]?.bool == false)
        }
    }

    @Test(
        "A password signs in; wrong passwords and unknown addresses give the same error; a second factor is required"
    )
    func password() async throws {
        try await SandboxClient.withSandbox { client in
            func signIn(_ email: String, _ password: String) async throws -> Reply {
                try await client.application(
                    "signInWithPassword", .object(["email": .string(email), "password": .string(password)]))
            }
            let made: JSON = .object(["email": .string("A@example.com"), "password": .string("secret")])
            #expect(try await client.application("signUp", made).status == 200)
            #expect(try await client.application("signUp", made).googleMessage == "EMAIL_EXISTS")
            let reply = try await signIn("a@Example.com", "secret")
            #expect(reply.json?["idToken"]?.string != nil)
            #expect(try await signIn("a@example.com", "Secret").googleMessage == "INVALID_LOGIN_CREDENTIALS")
            #expect(try await signIn("b@example.com", "secret").googleMessage == "INVALID_LOGIN_CREDENTIALS")
            let uid = reply.json?["localId"] ?? .null
            try await client.control("PUT", "/google/users", .object(["uid": uid, "mfa": .bool(true)]))
            let pending = try await signIn("a@example.com", "secret").json
            #expect(pending?["mfaPendingCredential"]?.string != nil)
            #expect(pending?["idToken"] == nil)
        }
    }

    @Test("The API key is required, and must be the project's")
    func key() async throws {
        try await SandboxClient.withSandbox { client in
            let missing = try await client.postJSON(client.addresses.google + "/v1/accounts:signUp", .object([:]))
            #expect(missing.status == 403)
            let wrong = try await client.application("signUp", .object([:]), key: "other")
            #expect(wrong.status == 400)
            #expect(wrong.json?["error"]?["status"]?.string == "INVALID_ARGUMENT")
        }
    }

    @Test("An application may delete its own user by ID token")
    func deletion() async throws {
        try await SandboxClient.withSandbox { client in
            let session = try await client.application("signUp", .object([:])).json
            let order: JSON = .object(["idToken": session?["idToken"] ?? .null])
            #expect(try await client.application("delete", order).status == 200)
            #expect(try await client.application("lookup", order).googleMessage == "USER_NOT_FOUND")
            let refreshed = try await client.refresh(session?["refreshToken"]?.string ?? "")
            #expect(refreshed.googleMessage == "USER_NOT_FOUND")
        }
    }

    @Test(
        "A missing value is refused with its code",
        arguments: [
            ("signUp", "email", "a@example.com", "MISSING_PASSWORD"), ("signUp", "password", "secret", "MISSING_EMAIL"),
            ("signUp", "phoneNumber", "+15555550100", "OPERATION_NOT_ALLOWED"),
            ("signUp", "idToken", "a.b.c", "MISSING_EMAIL"), ("lookup", "idToken", "", "MISSING_ID_TOKEN"),
            ("update", "displayName", "A", "MISSING_ID_TOKEN"),
            ("signInWithPassword", "email", "a@example.com", "MISSING_PASSWORD"),
            ("signInWithPassword", "password", "secret", "INVALID_EMAIL"),
        ])
    func missing(operation: String, name: String, value: String, message: String) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.application(operation, .object([name: .string(value)]))
            #expect(reply.status == 400)
            #expect(reply.googleMessage == message)
        }
    }

    @Test(
        "The Firebase SDKs for Apple's systems and C++ sign in, read and change the user, refresh and delete at the emulator's paths"
    )
    func formerVersion() async throws {
        let account = try TestServiceAccount()
        try await SandboxClient.withSandbox(google: account.settings) { client in
            func call(_ name: String, _ body: JSON) async throws -> Reply {
                let path = "/www.googleapis.com/identitytoolkit/v3/relyingparty/\(name)?key=any"
                return try await client.postJSON(client.addresses.google + path, body)
            }
            let token = JSON.string(try account.customToken())
            let signIn: JSON = .object(["token": token, "returnSecureToken": .bool(true)])
            let session = try await call("verifyCustomToken", signIn).json
            let refreshed = try await client.postJSON(
                client.addresses.google + "/securetoken.googleapis.com/v1/token?key=any",
                .object([
                    "grantType": .string("refresh_token"), "refreshToken": session?["refreshToken"] ?? .null,
                ]))
            let idToken = try #require(refreshed.json?["access_token"])
            let looked = try await call("getAccountInfo", .object(["idToken": idToken]))
            #expect(looked.json?["users"]?.array?.compactMap { $0["localId"]?.string } == ["u1"])
            let change: JSON = .object(["idToken": idToken, "displayName": .string("A")])
            #expect(try await call("setAccountInfo", change).json?["displayName"] == .string("A"))
            let changed = try await call("getAccountInfo", .object(["idToken": idToken]))
            #expect(changed.json?["users"]?.array?.first?["displayName"] == .string("A"))
            let deletion: JSON = .object(["idToken": idToken, "localId": .string("u1")])
            #expect(try await call("deleteAccount", deletion).status == 200)
            #expect(try await client.control("GET", "/google/users").array == [])
            #expect(try await call("createAuthUri", .object([:])).status == 404)
        }
    }

    @Test("The Firebase SDKs for Apple's systems and C++ sign up and sign in with a password at the emulator's paths")
    func formerPassword() async throws {
        try await SandboxClient.withSandbox { client in
            let user: JSON = .object([
                "email": .string("a@example.com"), "password": .string("secret"),
                "clientType": .string("CLIENT_TYPE_IOS"), "returnSecureToken": .bool(true),
            ])
            for name in ["signupNewUser", "verifyPassword"] {
                let path = "/www.googleapis.com/identitytoolkit/v3/relyingparty/\(name)?key=any"
                let reply = try await client.postJSON(client.addresses.google + path, user)
                #expect(reply.json?["refreshToken"]?.string != nil, "\(name)")
            }
        }
    }

    @Test("A refresh needs the grant type and an issued token")
    func refreshes() async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.google + "/v1/token?key=sandbox-api-key"
            let other = try await client.post(url, form: [("grant_type", "password"), ("refresh_token", "r")])
            #expect(other.googleMessage == "INVALID_GRANT_TYPE")
            let json = try await client.postJSON(
                url, .object(["grantType": .string("password"), "refreshToken": .string("r")]))
            #expect(json.googleMessage == "INVALID_GRANT_TYPE")
            #expect(try await client.refresh("").googleMessage == "MISSING_REFRESH_TOKEN")
            #expect(try await client.refresh("r").googleMessage == "INVALID_REFRESH_TOKEN")
        }
    }
}
