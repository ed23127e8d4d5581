import JOSE
import Jansson
import OpenSSL
import Providers
import Standards
import Support
import Testing
import Transport

@Suite("Registrations")
struct RegistrationTests {
    @Test("A value that is missing in a registration comes from the template")
    func template() async throws {
        let deployment = try Deployment()
        let openIDConnect = try deployment.openIDConnect(of: deployment.yahoo)
        #expect(openIDConnect.scopes == ["openid", "profile", "email"])
        #expect(openIDConnect.pkce == .off)
        #expect(openIDConnect.algorithms == [.es256, .rs256])
        #expect(openIDConnect.nonceRule == .server)
        #expect(openIDConnect.maximumAge == .seconds(600))
        #expect(openIDConnect.clockSkew == .seconds(60))
        #expect(deployment.yahoo.allowedParameters == Set(OpenIDConnectRegistration.yahoo.allowedParameters))
        #expect(try await openIDConnect.endpoints().token == OpenIDConnectRegistration.yahoo.endpoints.token)
        #expect(deployment.peer.requests.isEmpty)
    }

    @Test("A value in a registration replaces that of the template")
    func overrides() async throws {
        let deployment = try Deployment { plan in
            plan.yahoo.scopes = ["openid"]
            plan.yahoo.pkce = .s256
            plan.yahoo.allowedParameters = ["prompt"]
            plan.yahoo.nonceRule = .clientPlain
            plan.yahoo.maximumAge = .seconds(5)
            plan.yahoo.clockSkew = .seconds(6)
            plan.yahoo.emailTrust = .never
            plan.yahoo.timeout = .seconds(7)
            plan.yahoo.endpoints.token = "https://proxy.example/token"
            plan.yahoo.endpoints.issuers = ["https://login.yahoo.com", Yahoo.issuer]
        }
        let openIDConnect = try deployment.openIDConnect(of: deployment.yahoo)
        #expect(openIDConnect.scopes == ["openid"])
        #expect(openIDConnect.pkce == .s256)
        #expect(openIDConnect.nonceRule == .clientPlain)
        #expect(openIDConnect.maximumAge == .seconds(5))
        #expect(openIDConnect.clockSkew == .seconds(6))
        #expect(deployment.yahoo.allowedParameters == ["prompt"])
        #expect(deployment.yahoo.emailTrust == .never)
        #expect(deployment.yahoo.timeout == .seconds(7))
        let endpoints = try await openIDConnect.endpoints()
        #expect(endpoints.token == "https://proxy.example/token")
        #expect(endpoints.authorization == Yahoo.authorization)
        #expect(endpoints.issuers == ["https://login.yahoo.com", Yahoo.issuer])
    }

    @Test("A provider has the protocols that it was given")
    func protocols() throws {
        let deployment = try Deployment()
        #expect(deployment.yahoo.openIDConnect != nil)
        #expect(deployment.yahoo.oauth1 == nil && deployment.yahoo.oauth2 == nil)
        #expect(deployment.x.openIDConnect == nil)
        #expect(deployment.x.oauth1 != nil && deployment.x.oauth2 != nil)
    }

    @Test("A secret is sent only in the header or in the body, as the registration says")
    func clientAuthentication() throws {
        let basic = try Self.request(.clientSecretBasic(Secret("s:s")))
        #expect(basic[field: "Authorization"] == BasicAuthorization.field(clientID: "id", clientSecret: Secret("s:s")))
        #expect(String(decoding: basic.body, as: UTF8.self) == "grant_type=authorization_code")

        let post = try Self.request(.clientSecretPost(Secret("s:s")))
        #expect(post[field: "Authorization"] == nil)
        #expect(
            String(decoding: post.body, as: UTF8.self)
                == "grant_type=authorization_code&client_id=id&client_secret=s%3As")

        let none = try Self.request(.none)
        #expect(none[field: "Authorization"] == nil)
        #expect(String(decoding: none.body, as: UTF8.self) == "grant_type=authorization_code&client_id=id")
        for request in [basic, post, none] {
            #expect(request.url == "https://id.example/token")
            #expect(request[field: "Content-Type"] == "application/x-www-form-urlencoded")
            #expect(request[field: "Accept"] == "application/json")
        }
    }

    @Test("Parameters of a registration of OAuth 2.0 are sent beside the client id and secret")
    func tokenParameters() throws {
        var oauth2 = OAuth2Registration().oauth2
        oauth2.clientID = "id"
        oauth2.clientAuthentication = .clientSecretPost(Secret("s"))
        oauth2.tokenEndpoint = "https://id.example/token"
        oauth2.tokenParameters = ["client_key": "id"]
        let request = try oauth2.client.post(
            form: [("grant_type", "refresh_token")], timeout: .seconds(1), time: TimeSource { TestClock.start },
            random: TestRandom().source)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=refresh_token&client_key=id&client_id=id&client_secret=s")
    }

    /// A request to the token endpoint; another `endpoint` is at the same provider.
    private static func request(
        _ authentication: ClientAuthentication, to endpoint: String? = nil, at now: NumericDate = TestClock.start,
        _ random: TestRandom = TestRandom()
    ) throws -> OutboundRequest {
        try ProviderClient(id: "id", authentication: authentication, tokenEndpoint: "https://id.example/token").post(
            to: endpoint, form: [("grant_type", "authorization_code")], timeout: .seconds(1),
            time: TimeSource { now }, random: random.source)
    }

    /// The claims of a JWT in a form that the keys of the tests verify.
    private static func claims(_ name: String, in request: OutboundRequest) throws -> JSON {
        let jws = try CompactJWS.parse(try #require(try request.form[name]))
        let keys = try JWKSet.parse(Array(TestKeys.shared.keySet().utf8))
        return try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256, .rs256]).json
    }

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    @Test("private_key_jwt sends an assertion for a minute, with issuer and subject of the client (RFC 7523 §3)")
    func assertion() throws {
        let keys = try TestKeys.shared
        for (pem, keyID) in [(try keys.curve.pem(), TestKeys.curveKeyID), (try keys.rsa.pem(), TestKeys.rsaKeyID)] {
            let authentication = ClientAuthentication.signedJWT(
                .assertion(try JWSSigner(pem: pem), keyID: keyID, audience: nil))
            let request = try Self.request(authentication)
            #expect(request.url == "https://id.example/token" && request[field: "Authorization"] == nil)
            let form = try request.form
            #expect(
                form.pairs.map(\.name) == ["grant_type", "client_id", "client_assertion_type", "client_assertion"])
            #expect(form["client_id"] == "id" && form["client_assertion_type"] == Self.assertionType)
            let claims = try Self.claims("client_assertion", in: request)
            #expect(claims["jti"]?.string?.count == 43)
            #expect(
                claims
                    == .object([
                        "iss": .string("id"), "sub": .string("id"), "aud": .string("https://id.example/token"),
                        "iat": .integer(1_700_000_000), "exp": .integer(1_700_000_060),
                        "jti": claims["jti"] ?? .null,
                    ]))
        }
    }

    @Test("Each request has an assertion of its own, of its own time")
    func freshAssertion() throws {
        let authentication = ClientAuthentication.signedJWT(
            .assertion(try JWSSigner(pem: TestKeys.shared.curve.pem()), keyID: nil, audience: nil))
        let random = TestRandom()
        let claims = try [NumericDate(1_700_000_000), NumericDate(1_700_000_600)].map { now in
            try Self.claims("client_assertion", in: Self.request(authentication, at: now, random))
        }
        #expect(claims.map { $0["iat"]?.integer } == [1_700_000_000, 1_700_000_600])
        #expect(claims.map { $0["exp"]?.integer } == [1_700_000_060, 1_700_000_660])
        #expect(claims[0]["jti"] != claims[1]["jti"])
    }

    @Test("The audience at every endpoint is the token endpoint, or the configured one")
    func audience() throws {
        let signer = try JWSSigner(pem: TestKeys.shared.curve.pem())
        for (audience, expected) in [(nil, "https://id.example/token"), ("https://id.example", "https://id.example")] {
            for endpoint in [nil, "https://id.example/introspect"] {
                let jwt = ClientJWT.assertion(signer, keyID: nil, audience: audience)
                let request = try Self.request(.signedJWT(jwt), to: endpoint)
                #expect(request.url == endpoint ?? "https://id.example/token")
                #expect(try Self.claims("client_assertion", in: request)["aud"] == .string(expected))
            }
        }
    }

    @Test("Apple's client secret is a JWT of the team for five minutes, which is sent as a secret in the form")
    func appleSecret() throws {
        let signer = try JWSSigner(pem: TestKeys.shared.curve.pem())
        let jwt = ClientJWT.apple(signer, keyID: TestKeys.curveKeyID, teamID: "TEAM123456")
        let request = try Self.request(.signedJWT(jwt))
        #expect(request[field: "Authorization"] == nil)
        #expect(try request.form.pairs.map(\.name) == ["grant_type", "client_id", "client_secret"])
        #expect(try CompactJWS.parse(request.form["client_secret"] ?? "").header.keyID == KeyID(TestKeys.curveKeyID))
        #expect(
            try Self.claims("client_secret", in: request)
                == .object([
                    "iss": .string("TEAM123456"), "sub": .string("id"), "aud": .string("https://appleid.apple.com"),
                    "iat": .integer(1_700_000_000), "exp": .integer(1_700_000_300),
                ]))
    }

    @Test("Without random octets there is no request, and everything stays unspent")
    func noRandom() throws {
        let jwt = ClientJWT.assertion(try JWSSigner(pem: TestKeys.shared.curve.pem()), keyID: nil, audience: nil)
        let random = TestRandom()
        random.fail(atCall: 1)
        expectImmediateRefusal(.internal, isUnspent: true) { try Self.request(.signedJWT(jwt), random) }
    }

    @Test("Registrations are equal only if key, key id, audience, team and method are")
    func equality() throws {
        let (keys, other) = (
            try JWSSigner(pem: TestKeys.shared.curve.pem()), try JWSSigner(pem: TestKeys.shared.rsa.pem())
        )
        let all: [ClientAuthentication] = [
            .none, .clientSecretBasic(Secret("s")), .clientSecretPost(Secret("s")),
            .signedJWT(.assertion(keys, keyID: nil, audience: nil)),
            .signedJWT(.assertion(other, keyID: nil, audience: nil)),
            .signedJWT(.assertion(keys, keyID: "a", audience: nil)),
            .signedJWT(.assertion(keys, keyID: nil, audience: "a")),
            .signedJWT(.apple(keys, keyID: "a", teamID: "a")), .signedJWT(.apple(keys, keyID: "a", teamID: "b")),
        ]
        for (number, one) in all.enumerated() {
            for (index, another) in all.enumerated() { #expect((one == another) == (number == index)) }
        }
    }

    @Test("Nothing that prints a registration shows a number of its key")
    func elision() throws {
        let key = try TestKeys.shared.curve
        let jwt = ClientJWT.assertion(try JWSSigner(pem: key.pem()), keyID: nil, audience: nil)
        let registration = OpenIDConnectRegistration(clientID: "id", clientAuthentication: .signedJWT(jwt))
        var dumped = ""
        dump(registration, to: &dumped)
        for text in ["\(registration)", String(reflecting: registration), dumped] {
            #expect(text.contains("[ES256 key elided]") && !text.contains("P256PrivateKey"))
        }
    }
}
