import Exchange
import Fixtures
import JOSE
import OpenSSL
import Standards
import Support
import Testing
import Transport

@testable import Providers
@testable import Verification

@Suite("Discovery")
struct DiscoveryTests {
    private func endpoints(
        _ metadata: ScriptedAnswer, _ change: (inout DeploymentPlan) -> Void = { _ in }
    ) async throws -> OpenIDConnectEndpoints {
        let deployment = try Deployment(change)
        deployment.peer.script(.get, Generic.metadata, metadata)
        return try await deployment.openIDConnect(of: deployment.generic).endpoints()
    }

    private func endpoints(
        changing members: [String: String], _ change: (inout DeploymentPlan) -> Void = { _ in }
    ) async throws -> OpenIDConnectEndpoints {
        try await endpoints(.json(Generic.metadataText(changing: members)), change)
    }

    @Test("The endpoints are those of the document, and introspection is the configuration's")
    func baseline() async throws {
        #expect(
            try await endpoints(changing: ["introspection_endpoint": #""https://id.example/other""#])
                == OpenIDConnectEndpoints(
                    issuers: [Generic.issuer], authorization: Generic.authorization, token: Generic.token,
                    userInfo: Generic.userInfo, jwks: Generic.keys, introspection: Generic.introspection,
                    revocation: nil, sendsIssuer: false))
    }

    @Test(
        "The metadata chooses between the methods with a client secret if the configuration names none",
        arguments: [
            (true, ["client_secret_post"], true, ClientRefusal.credentials),
            (true, ["client_secret_basic", "client_secret_post"], false, .credentials),
            (true, ["private_key_jwt"], false, .needsAssertion), (true, nil, false, .credentials),
            (false, ["tls_client_auth", "private_key_jwt", "none"], false, .needsAssertion),
            (true, ["client_secret_jwt", "tls_client_auth"], false, .unknownMethod),
            (true, ["none"], false, .credentials),
            (true, [], false, .credentials),
            (false, ["private_key_jwt", "client_secret_post"], false, .needsPost),
            (false, ["client_secret_basic"], false, .credentials),
        ] as [(Bool, [String]?, Bool, ClientRefusal)])
    func authenticationMethod(
        _ chooses: Bool, _ methods: [String]?, _ isPost: Bool, _ refusal: ClientRefusal
    ) async throws {
        let secret = Secret("secret")
        let deployment = try Deployment { plan in
            plan.generic.clientAuthentication = .clientSecretBasic(secret)
            plan.generic.choosesAuthentication = chooses
        }
        let list = methods.map { "[" + $0.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
        deployment.peer.script(
            .get, Generic.metadata,
            .json(
                Generic.metadataText(
                    changing: list.map { ["token_endpoint_auth_methods_supported": $0] } ?? [:])))
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        let client = openIDConnect.client(at: try await openIDConnect.endpoints())
        #expect(client.authentication == (isPost ? .clientSecretPost(secret) : .clientSecretBasic(secret)))
        #expect(client.refusal == refusal)
        #expect(
            ClientRefusal.needsAssertion.advice.contains("write token_endpoint_auth: private_key_jwt with client_key"))
        #expect(ClientRefusal.unknownMethod.advice.contains("choose one of these for this client"))
        #expect(ClientRefusal.needsPost.advice.contains("write token_endpoint_auth: client_secret_post"))
    }

    @Test(
        "A JWT of private_key_jwt that the metadata does not name is told with the method that they name",
        arguments: [
            (["client_secret_post"], ClientRefusal.needsPost), (["client_secret_basic"], .needsBasic),
            (["client_secret_basic", "private_key_jwt"], .assertion), (["none"], .assertion), ([], .assertion),
            (["tls_client_auth"], .unknownMethod), (nil, .assertion),
        ] as [([String]?, ClientRefusal)])
    func assertion(_ methods: [String]?, _ refusal: ClientRefusal) throws {
        let signer = try JWSSigner(pem: TestKeys.shared.curve.pem())
        func client(_ jwt: ClientJWT) -> ProviderClient {
            ProviderClient(
                id: "id", authentication: .signedJWT(jwt), tokenEndpoint: Generic.token, authenticationMethods: methods)
        }
        #expect(client(.assertion(signer, keyID: nil, audience: nil)).refusal == refusal)
        #expect(client(.apple(signer, keyID: "key", teamID: "TEAM123456")).refusal == .appleSecret)
        #expect(ClientRefusal.needsPost.advice.contains("client_secret_post and not the method in use"))
    }

    @Test(
        "A text in place of the list of methods names the only one",
        arguments: [(#""client_secret_post""#, true), (#""client_secret_basic""#, false), ("1", false)])
    func authenticationMethodAsText(_ member: String, _ isPost: Bool) async throws {
        let secret = Secret("secret")
        let deployment = try Deployment { plan in
            plan.generic.clientAuthentication = .clientSecretBasic(secret)
            plan.generic.choosesAuthentication = true
        }
        deployment.peer.script(
            .get, Generic.metadata,
            .json(Generic.metadataText(changing: ["token_endpoint_auth_methods_supported": member])))
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        let client = openIDConnect.client(at: try await openIDConnect.endpoints())
        #expect(client.authentication == (isPost ? .clientSecretPost(secret) : .clientSecretBasic(secret)))
    }

    @Test("The revocation endpoint is found under its registered name, and under Yahoo's")
    func revocation() async throws {
        let url = Generic.issuer + "/revoke"
        for name in ["revocation_endpoint", "token_revocation_endpoint"] {
            #expect(try await endpoints(changing: [name: "\"\(url)\""]).revocation == url)
        }
        // Whoever can alter the document does not get our secret with it.
        #expect(try await endpoints(changing: ["revocation_endpoint": #""https://evil.example/r""#]).revocation == nil)
    }

    @Test("Every call of the back channel permits the hosts of its provider with plain http, and other providers none")
    func plainHTTPHosts() async throws {
        let deployment = try Deployment { $0.generic.plainHTTPHosts = ["keycloak"] }
        func url(_ name: String) -> String { "http://keycloak:8080/\(name)" }
        deployment.peer.script(
            .get, Generic.metadata,
            .json(
                Generic.metadataText(changing: [
                    "token_endpoint": "\"\(url("token"))\"", "userinfo_endpoint": "\"\(url("user"))\"",
                    "jwks_uri": "\"\(url("keys"))\"", "revocation_endpoint": "\"\(url("revoke"))\"",
                ])))
        let provider = deployment.generic
        let openIDConnect = try deployment.openIDConnect(of: provider)
        let revocation = try #require(try await deployment.exchanger.revocation(at: provider))
        // Nothing is scripted at the endpoints, so that each call fails after it was recorded.
        _ = try? await openIDConnect.keys.value()
        try? await deployment.exchanger.revoke(Secret("t"), by: revocation)
        try? await deployment.exchanger.checkClient(
            ProviderClient(id: "c", authentication: .none, tokenEndpoint: url("token")),
            redirectURI: "https://app.example/cb", pkce: .s256, errorCodes: .none, of: provider)
        _ = try? await deployment.verifier.userInfoSubject(
            AccessToken("t"), at: url("user"), with: openIDConnect, of: provider)
        _ = try? await deployment.verifier.checkIntrospection(with: openIDConnect, of: provider)
        let called = deployment.peer.requests.map(\.url)
        let expected = ["keys", "revoke", "token", "user"].map(url) + [Generic.introspection]
        #expect(called == [Generic.metadata] + expected)
        #expect(deployment.peer.requests.allSatisfy { $0.plainHTTPHosts == ["keycloak"] })

        _ = try? await deployment.openIDConnect(of: deployment.yahoo).keys.value()
        #expect(deployment.peer.requests.last?.plainHTTPHosts == [])
    }

    @Test("A configured URL replaces that of a template's introspection, whose request keeps its form")
    func introspectionOfTemplate() async throws {
        let deployment = try Deployment { $0.generic.introspection = OpenIDConnectRegistration.twitch.introspection }
        deployment.peer.script(.get, Generic.introspection, .status(401))
        let isInactive = try await deployment.verifier.checkIntrospection(
            with: try deployment.openIDConnect(of: deployment.generic), of: deployment.generic)
        #expect(isInactive == true)
        let request = try #require(deployment.peer.requests(to: Generic.introspection).first)
        #expect(request[field: "Authorization"] == "OAuth token-exchange-doctor")
    }

    @Test("The document is fetched once, and not before it is needed")
    func fetchedOnce() async throws {
        let deployment = try Deployment()
        #expect(deployment.peer.requests.isEmpty)
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        for _ in 0..<3 { _ = try await openIDConnect.endpoints() }
        #expect(deployment.peer.requests(to: Generic.metadata).count == 1)
        #expect(deployment.peer.requests.count == 1)
    }

    @Test("A slash at the end of the issuer is not doubled in the document's place (Discovery §4)")
    func terminatingSlash() async throws {
        let issuer = Generic.issuer + "/"
        let found = try await endpoints(changing: ["issuer": #""\#(issuer)""#]) {
            $0.generic.endpoints.issuers = [issuer]
        }
        #expect(found.issuers == [issuer])
    }

    @Test("With two issuers, the document names the first one, and tokens may name either")
    func otherIssuerOfTokens() async throws {
        let (issuer, other) = (Generic.issuer, Generic.issuer + "/")
        let found = try await endpoints(changing: [:]) {
            $0.generic.issuer = issuer
            $0.generic.endpoints.issuers = [issuer, other]
        }
        #expect(found.issuers == [issuer, other])
        let error = DocumentError.otherIssuer(found: issuer, expected: other)
        await #expect(throws: error) {
            try await endpoints(changing: [:]) {
                $0.generic.issuer = issuer
                $0.generic.endpoints.issuers = [other, issuer]
            }
        }
        #expect(error.advice?.contains("write both below endpoints.issuer, \(issuer) first, and keep issuer") == true)
    }

    @Test(
        "JW-09: A document of another issuer is refused",
        arguments: [
            "https://evil.example", "https://id.example/", "http://id.example", "https://ID.example", "",
        ])
    func otherIssuer(_ issuer: String) async throws {
        await #expect(throws: DocumentError.otherIssuer(found: issuer, expected: Generic.issuer)) {
            try await endpoints(changing: ["issuer": #""\#(issuer)""#])
        }
    }

    @Test(
        "JW-09: A document without an issuer is refused",
        arguments: [
            (#"["https://id.example"]"#, ""), ("1", ""),
            ("null", "; its members are authorization_endpoint, jwks_uri, token_endpoint, userinfo_endpoint"),
        ])
    func noIssuer(_ issuer: String, _ members: String) async throws {
        await #expect(throws: DocumentError.unlikeMetadata("it names no issuer\(members)")) {
            try await endpoints(changing: ["issuer": issuer])
        }
    }

    @Test(
        "JW-09: A required endpoint must not be on another host",
        arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"],
        [
            "https://evil.example/x", "https://id.example.evil.example/x", "https://evilid.example/x",
            "https://id.example@evil.example/x", "https://evil.example\\\\.id.example/x", "//id.example/x",
            "https://id.example:8443/x", "https://evil.example#.id.example/x", "https://evil.example?.id.example/x",
            "",
        ])
    func otherHost(_ member: String, _ url: String) async throws {
        await expectUnusable(member) { try await endpoints(changing: [member: #""\#(url)""#]) }
    }

    @Test(
        "JW-09: An endpoint without encryption is refused",
        arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"])
    func noEncryption(_ member: String) async throws {
        await expectUnusable(member) { try await endpoints(changing: [member: #""http://id.example/x""#]) }
    }

    private func expectUnusable(_ member: String, _ find: () async throws -> OpenIDConnectEndpoints) async {
        do {
            _ = try await find()
            Issue.record("The endpoint was accepted.")
        } catch DocumentError.unusableEndpoints(let endpoints, Generic.issuer) {
            #expect(endpoints.keys.allSatisfy { member.hasPrefix($0) } && endpoints.count == 1)
        } catch DocumentError.noPublicKeys {
            #expect(member == "jwks_uri")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("A userinfo endpoint on another host is not used, because no sign-in requires it")
    func userInfoElsewhere() async throws {
        let found = try await endpoints(changing: ["userinfo_endpoint": #""https://evil.example/x""#])
        #expect(found.userInfo == nil)
    }

    @Test("An endpoint may be on a subdomain of the issuer's host")
    func subdomain() async throws {
        let found = try await endpoints(changing: ["token_endpoint": #""https://tokens.id.example/t""#])
        #expect(found.token == "https://tokens.id.example/t")
    }

    @Test("A configured endpoint may be on any host, whatever the document says")
    func namedElsewhere() async throws {
        let found = try await endpoints(
            changing: [
                "token_endpoint": #""https://evil.example/t""#, "jwks_uri": #""https://evil.example/j""#,
                "authorization_endpoint": #""https://evil.example/a""#,
                "userinfo_endpoint": #""https://evil.example/u""#,
            ]
        ) { plan in
            plan.generic.endpoints.token = "https://tokens.example/t"
            plan.generic.endpoints.jwks = "https://keys.example/j"
            plan.generic.endpoints.authorization = "https://login.example/a"
            plan.generic.endpoints.userInfo = "https://people.example/u"
        }
        #expect(found.token == "https://tokens.example/t")
        #expect(found.jwks == "https://keys.example/j")
        #expect(found.authorization == "https://login.example/a")
        #expect(found.userInfo == "https://people.example/u")
    }

    @Test("If the configuration names every required endpoint, nothing is discovered")
    func allNamed() async throws {
        let deployment = try Deployment { plan in
            plan.generic.endpoints.token = Generic.token
            plan.generic.endpoints.jwks = Generic.keys
            plan.generic.endpoints.authorization = Generic.authorization
        }
        let found = try await deployment.openIDConnect(of: deployment.generic).endpoints()
        #expect(found.issuers == [Generic.issuer])
        #expect(found.userInfo == nil)
        #expect(deployment.peer.requests.isEmpty)
    }

    @Test("The document decides whether responses contain the issuer (RFC 9207 §3)")
    func sendsIssuer() async throws {
        let member = "authorization_response_iss_parameter_supported"
        #expect(try await endpoints(changing: [member: "true"]).sendsIssuer)
        #expect(try await !endpoints(changing: [member: "false"]).sendsIssuer)
        #expect(try await !endpoints(changing: [member: #""true""#]).sendsIssuer)
    }

    @Test("JW-08: A redirect to another origin is not followed, and is no document")
    func redirect() async throws {
        await #expect(throws: DocumentError.redirected(to: "https://evil.example")) {
            try await endpoints(.status(302, header: [HeaderField("Location", "https://evil.example/")]))
        }
    }

    @Test(
        "A document that is not a JSON object is refused",
        arguments: [
            ("", DocumentError.unlikeMetadata("it is empty")), ("null", .unlikeMetadata("it is null")),
            ("<html>", .unlikeMetadata("it is a page of HTML or XML")),
            ("[]", .unlikeMetadata("it is a list in place of an object")),
            (#"{"issuer":1,"issuer":2}"#, .unlikeMetadata("it names no issuer")),
        ])
    func noDocument(_ text: String, _ error: DocumentError) async throws {
        await #expect(throws: error) { try await endpoints(.json(text)) }
    }

    @Test("A provider out of reach is said to be that")
    func unreachable() async throws {
        let error = TransportError.unreachable(host: "id.example")
        await #expect(throws: DocumentError.unreachable(error)) { try await endpoints(.failure(error)) }
    }

    @Test("The key set is fetched from the place that the document names")
    func keySet() async throws {
        let deployment = try Deployment()
        let place = "https://keys.id.example/set"
        deployment.peer.script(
            .get, Generic.metadata, .json(Generic.metadataText(changing: ["jwks_uri": #""\#(place)""#])))
        deployment.peer.script(.get, place, .json(try TestKeys.shared.keySet()))
        let keys = try await deployment.openIDConnect(of: deployment.generic).keys.value()
        #expect(keys.keys.count == 2)
        #expect(deployment.peer.requests.map(\.url) == [Generic.metadata, place])
    }
}
