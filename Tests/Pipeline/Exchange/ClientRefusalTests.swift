import Exchange
import Flows
import JOSE
import Jansson
import OpenSSL
import Providers
import Standards
internal import Stores
import Support
import Testing
import Transport
import Verification

/// X's own error codes for the registration, for a person, and for a code.
@Suite("Refusals of this server's registration")
struct ClientRefusalTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.scriptX()
    }

    private static func body(_ code: Int) -> String { #"{"errors":[{"code":\#(code),"message":"x"}]}"# }

    @Test(
        "A refused request token concerns the registration, with the reason of X's error code",
        arguments: [
            (401, 32, ClientRefusal.consumerKey), (401, 135, .clock), (403, 415, .callbackNotApproved),
            (403, 416, .suspended), (401, 416, .suspended), (403, 453, .accessTier), (402, 0, .credit),
            (403, 0, .consumerKey),
        ])
    func temporary(_ status: Int, _ code: Int, _ refusal: ClientRefusal) async throws {
        deployment.peer.script(.post, X.requestToken, .json(Self.body(code), status: status))
        await expectRefusal(ProviderFailure.refusedClient(refusal).refusal.unspent) {
            try await deployment.exchanger.temporaryCredentials(
                callback: "https://app.example/cb", with: deployment.xOAuth1, of: deployment.x)
        }
    }

    @Test(
        "A sentence in XML without a code names the redirect URI, and the operator reads it",
        arguments: [
            (
                #"<hash><error>Desktop applications only support the oauth_callback value 'oob'</error>"#
                    + "<request>/oauth/request_token</request></hash>",
                "error: Desktop applications only support the oauth_callback value 'oob'",
                ClientRefusal.callbackNotApproved
            ),
            (
                "<errors><error>Callback URL not approved for this client application.</error></errors>",
                "error: Callback URL not approved for this client application.", .callbackNotApproved
            ),
            (
                "<hash><error>The client application failed validation: Not a valid callback URL format.</error></hash>",
                "error: The client application failed validation: Not a valid callback URL format.",
                .callbackNotApproved
            ),
            (
                "<hash><error>Failed to validate oauth signature and token</error></hash>",
                "error: Failed to validate oauth signature and token", .consumerKey
            ),
            ("oauth_problem=permission_denied", "oauth_problem: permission_denied", .consumerKey),
            (
                "oauth_problem=timestamp_refused&oauth_acceptable_timestamps=1-2", "oauth_problem: timestamp_refused",
                .clock
            ),
            ("oauth_problem=nonce_used", "oauth_problem: nonce_used", .usedNonce),
        ])
    func temporaryInXML(_ body: String, _ words: String, _ refusal: ClientRefusal) async throws {
        deployment.peer.script(.post, X.requestToken, .body(body, type: "application/xml", status: 401))
        let thrown = await #expect(throws: Refusal.self) {
            try await deployment.exchanger.temporaryCredentials(
                callback: "https://app.example/cb", with: deployment.xOAuth1, of: deployment.x)
        }
        #expect(thrown == ProviderFailure.refusedClient(refusal).refusal.unspent)
        #expect(thrown?.words == words)
    }

    @Test("EX-20: What X says about a request token contains no value of the signed request")
    func echoOfRequestToken() async throws {
        let client = X.consumerKey
        deployment.peer.script(
            .post, X.requestToken,
            .body("<error>Key \(client) &amp; \(client) oauth_nonce</error>", type: nil, status: 401))
        let thrown = await #expect(throws: Refusal.self) {
            try await deployment.exchanger.temporaryCredentials(
                callback: "https://app.example/cb", with: deployment.xOAuth1, of: deployment.x)
        }
        #expect(thrown?.words == "error: Key [left out] oauth_nonce")
    }

    @Test("The advice about OAuth 1.0a names its own keys only")
    func consumerKeyAdvice() {
        let advice = ClientRefusal.consumerKey.advice
        #expect(advice.contains("consumer_key") && advice.contains("consumer_secret"))
        #expect(!advice.contains("token_endpoint_auth") && !advice.contains("client id"))
    }

    @Test("The advice about a used nonce names a repeated request and the clock, and no key")
    func usedNonceAdvice() {
        let advice = ClientRefusal.usedNonce.advice
        #expect(advice.contains("repeats requests") && advice.contains("synchronize it with NTP"))
        #expect(!advice.contains("consumer_key"))
    }

    private func redeem(_ token: String, _ status: Int, _ code: Int) async throws {
        try await redeem(token, .json(Self.body(code), status: status))
    }

    private func redeem(_ token: String, _ answer: ScriptedAnswer) async throws {
        deployment.peer.script(.post, X.accessToken, answer)
        _ = try await deployment.exchanger.exchange(
            verifier: Secret("7588892"),
            for: TemporaryCredentials(identifier: Secret(token), sharedSecret: Secret("secret")),
            with: deployment.xOAuth1, of: deployment.x)
    }

    @Test("A refused verifier concerns the person, the registration or neither, as X's error code says")
    func accessToken() async {
        await expectRefusal(ProviderFailure.accountDisabled.refusal.spent) {
            try await redeem("first", 403, 64)
        }
        await expectRefusal(ProviderFailure.refusedClient(.suspended).refusal.spent) {
            try await redeem("second", 401, 416)
        }
        await expectRefusal(Refusal.codeRejected) {
            try await redeem("third", 401, 32)
        }
        await expectRefusal(ProviderFailure.accountDisabled.refusal.spent) {
            try await redeem("fourth", 403, 326)
        }
    }

    @Test(
        "A refused signature under a verifier concerns the registration or the clock, and a refused token the person",
        arguments: [
            (401, "oauth_problem=signature_invalid", ProviderFailure.refusedClient(.consumerKey).refusal.spent),
            (400, "oauth_problem=consumer_key_unknown\n", ProviderFailure.refusedClient(.consumerKey).refusal.spent),
            (401, "oauth_problem=nonce_used", ProviderFailure.refusedClient(.usedNonce).refusal.spent),
            (401, "oauth_problem=timestamp_refused", ProviderFailure.refusedClient(.clock).refusal.spent),
            (401, "oauth_problem=token_expired", Refusal.codeRejected),
            (401, "oauth_problem=permission_denied", Refusal.codeRejected),
        ])
    func signature(_ status: Int, _ body: String, _ error: Refusal) async {
        await expectRefusal(error) { try await redeem("token", .body(body, type: "text/plain", status: status)) }
    }

    @Test("The problem of a signature may stand in WWW-Authenticate")
    func signatureInHeader() async {
        let challenge = #"OAuth realm="https://x.example/", oauth_problem="signature_invalid""#
        await expectRefusal(ProviderFailure.refusedClient(.consumerKey).refusal.spent) {
            try await redeem(
                "token", .body("", type: nil, status: 401, header: [HeaderField("WWW-Authenticate", challenge)]))
        }
    }

    @Test("A status that does not concern the verifier or the code does not reject it", arguments: [408, 425])
    func passing(_ status: Int) async throws {
        let failure = ProviderFailure.failed(status: status).refusal.spent
        await #expect(throws: failure) { try await redeem("token", status, 0) }
        try await code(status, "{}", failure)
    }

    @Test(
        "A refused code of OAuth 2.0 concerns the person, the registration or neither, as X's error code says",
        arguments: [
            (402, "{}", ProviderFailure.refusedClient(.credit).refusal.spent),
            (
                403, #"{"type":"https://api.x.com/2/problems/client-forbidden"}"#,
                ProviderFailure.refusedClient(.accessTier).refusal.spent
            ), (400, #"{"type":"about:blank"}"#, ProviderFailure.refusedWithoutCode(status: 400).refusal.spent),
            (403, "{}", ProviderFailure.refusedWithoutCode(status: 403).refusal.spent),
            (400, #"{"error":"invalid_request"}"#, Refusal.codeRejected),
        ])
    func code(_ status: Int, _ body: String, _ error: Refusal) async throws {
        deployment.peer.script(.post, X.token, .json(body, status: status))
        await #expect(throws: error) {
            try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
                with: deployment.xOAuth2, of: deployment.x)
        }
    }

    @Test("The error codes of one provider have no meaning at another")
    func otherProvider() async throws {
        deployment.peer.script(.post, Yahoo.token, .json(Self.body(64), status: 403))
        await expectRefusal(ProviderFailure.refusedWithoutCode(status: 403).refusal.spent) {
            try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
                with: deployment.openIDConnect(of: deployment.yahoo), of: deployment.yahoo)
        }
    }

    @Test(
        "The check sends a code verifier only with PKCE: some providers refuse the client that sends one",
        arguments: [ProofKeyMethod.s256, .off])
    func verifierOfCheck(_ pkce: ProofKeyMethod) async throws {
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        deployment.peer.script(.post, Generic.token, .json(#"{"error":"invalid_grant"}"#, status: 400))
        try await deployment.exchanger.checkClient(
            openIDConnect.client(at: openIDConnect.endpoints()), redirectURI: "https://app.example/cb", pkce: pkce,
            errorCodes: .none, of: deployment.generic)
        let request = try #require(deployment.peer.requests(to: Generic.token).first)
        #expect(try (request.form["code_verifier"] != nil) == (pkce == .s256))
    }

    /// Authentication by JWT, with the refusal of each form and what its advice names.
    private static let signed = [
        (
            Signed.assertion, ClientRefusal.assertion,
            ["client_id", "client_key.key_id", "client_key.audience", "clock"]
        ), (.apple, .appleSecret, ["Services ID and not the App ID", "key_id", "team_id", "clock"]),
    ]

    enum Signed: Sendable {
        case assertion, apple

        func authentication() throws -> ClientAuthentication {
            let signer = try JWSSigner(pem: TestKeys.shared.curve.pem())
            return switch self {
            case .assertion: .signedJWT(.assertion(signer, keyID: "curve-1", audience: nil))
            case .apple: .signedJWT(.apple(signer, keyID: "curve-1", teamID: "TEAM123456"))
            }
        }
    }

    @Test(
        "A refusal of a client without a secret has advice of its own, also if the provider only names the secret",
        arguments: [
            (401, #"{"error":"invalid_client"}"#, ProviderFailure.refusedClient(.noSecret)),
            (
                400, #"{"error":"invalid_request","error_description":"client_secret is missing"}"#,
                .refusedClient(.noSecret)
            ),
            (400, #"{"error":"invalid_request"}"#, .refused(status: 400, error: "invalid_request")),
        ])
    func withoutSecret(_ status: Int, _ body: String, _ failure: ProviderFailure) async throws {
        let deployment = try Deployment { $0.generic.clientAuthentication = .none }
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        deployment.peer.script(.post, Generic.token, .json(body, status: status))
        await expectRefusal(failure.refusal) {
            try await deployment.exchanger.checkClient(
                openIDConnect.client(at: openIDConnect.endpoints()), redirectURI: "https://app.example/cb", pkce: .s256,
                errorCodes: .none, of: deployment.generic)
        }
        #expect(ClientRefusal.noSecret.advice.hasPrefix("This section sends no secret (token_endpoint_auth: none)."))
    }

    @Test("An invalid_request that names the secret is no refusal of a client that sends one")
    func namedSecret() async throws {
        let body = #"{"error":"invalid_request","error_description":"client_secret is missing"}"#
        deployment.peer.script(.post, Generic.token, .json(body, status: 400))
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        await expectRefusal(ProviderFailure.refused(status: 400, error: "invalid_request").refusal) {
            try await deployment.exchanger.checkClient(
                openIDConnect.client(at: openIDConnect.endpoints()), redirectURI: "https://app.example/cb", pkce: .s256,
                errorCodes: .none, of: deployment.generic)
        }
    }

    @Test(
        "unauthorized_client is told with the advice on grant types and credentials, except at Apple, which has only one way",
        arguments: [
            (Signed.assertion, [(400, ClientRefusal.credentials), (403, .credentials), (401, .assertion)]),
            (.apple, [(400, .appleSecret), (401, .appleSecret)]),
        ])
    func unauthorizedClient(_ signed: Signed, _ refusals: [(status: Int, refusal: ClientRefusal)]) async throws {
        let authentication = try signed.authentication()
        let deployment = try Deployment { $0.generic.clientAuthentication = authentication }
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        for (status, refusal) in refusals {
            deployment.peer.script(.post, Generic.token, .json(#"{"error":"unauthorized_client"}"#, status: status))
            await expectRefusal(ProviderFailure.refusedClient(refusal).refusal) {
                try await deployment.exchanger.checkClient(
                    openIDConnect.client(at: openIDConnect.endpoints()), redirectURI: "https://app.example/cb",
                    pkce: .s256, errorCodes: .none, of: deployment.generic)
            }
        }
        #expect(ClientRefusal.credentials.advice.contains("For unauthorized_client also compare the grant types"))
    }

    @Test("A refused JWT that an operator has made for Apple has the advice on Apple's secrets")
    func oldSecretOfApple() throws {
        func refusal(audience: String) throws -> ClientRefusal {
            let signer = try JWSSigner(pem: TestKeys.shared.curve.pem())
            let secret = Secret(try signer.jwt(.object(["aud": .string(audience)]), keyID: "key"))
            return ProviderClient(id: "id", authentication: .clientSecretPost(secret), tokenEndpoint: Generic.token)
                .refusal
        }
        #expect(try refusal(audience: "https://appleid.apple.com") == .appleSecret)
        #expect(try refusal(audience: "https://op.example") == .credentials)
        #expect(ClientRefusal.appleSecret.advice.contains("write client_secret.apple in its place"))
    }

    @Test("A refused JWT has advice of its own, which names what the JWT is made of", arguments: signed)
    func signedJWT(_ signed: Signed, _ refusal: ClientRefusal, _ named: [String]) async throws {
        let authentication = try signed.authentication()
        let deployment = try Deployment { $0.generic.clientAuthentication = authentication }
        let openIDConnect = try deployment.openIDConnect(of: deployment.generic)
        deployment.peer.script(.post, Generic.token, .json(#"{"error":"invalid_client"}"#, status: 400))
        deployment.peer.script(.post, Generic.introspection, .status(401))
        let failure = ProviderFailure.refusedClient(refusal)
        await expectRefusal(failure.refusal.spent) {
            try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
                with: openIDConnect, of: deployment.generic)
        }
        await expectRefusal(failure.refusal) {
            try await deployment.exchanger.checkClient(
                openIDConnect.client(at: openIDConnect.endpoints()), redirectURI: "https://app.example/cb", pkce: .s256,
                errorCodes: .none, of: deployment.generic)
        }
        await #expect(throws: ProviderFailure.refusedClient(.introspection)) {
            try await deployment.verifier.checkIntrospection(with: openIDConnect, of: deployment.generic)
        }
        for name in named { #expect(refusal.advice.contains(name), "\(name)") }
    }

    @Test("Codes, refresh tokens, revocation, introspection and the check carry an assertion, each another one")
    func assertions() async throws {
        let authentication = try Signed.assertion.authentication()
        let revocation = Generic.issuer + "/revoke"
        let deployment = try Deployment {
            $0.generic.clientAuthentication = authentication
            $0.generic.endpoints.revocation = revocation
        }
        let (provider, exchanger) = (deployment.generic, deployment.exchanger)
        let openIDConnect = try deployment.openIDConnect(of: provider)
        // Nothing is scripted at the endpoints, so that each call fails after it was recorded.
        _ = try? await exchanger.exchange(
            AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
            with: openIDConnect, of: provider)
        _ = try? await exchanger.refresh(RefreshToken("refresh"), at: provider)
        try? await exchanger.checkClient(
            openIDConnect.client(at: openIDConnect.endpoints()), redirectURI: "https://app.example/cb", pkce: .s256,
            errorCodes: .none, of: provider)
        try? await exchanger.revoke(Secret("t"), by: try #require(try await exchanger.revocation(at: provider)))
        _ = try? await deployment.verifier.checkIntrospection(with: openIDConnect, of: provider)
        let requests = deployment.peer.requests.filter { $0.method == .post }
        #expect(
            requests.map(\.url) == [Generic.token, Generic.token, Generic.token, revocation, Generic.introspection])
        let keys = try JWKSet.parse(Array(TestKeys.shared.keySet().utf8))
        let claims = try requests.map { request in
            let jws = try CompactJWS.parse(try #require(try request.form["client_assertion"]))
            return try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256]).json
        }
        #expect(claims.allSatisfy { $0["aud"]?.string == Generic.token })
        #expect(Set(claims.compactMap { $0["jti"]?.string }).count == requests.count)
    }

    @Test("A code is neither sent nor spent if its assertion cannot be made")
    func unsignable() async throws {
        let authentication = try Signed.assertion.authentication()
        let deployment = try Deployment { $0.generic.clientAuthentication = authentication }
        deployment.random.fail(atCall: 1)
        await expectRefusal(.internal, isUnspent: true) {
            try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
                with: deployment.openIDConnect(of: deployment.generic), of: deployment.generic)
        }
        #expect(deployment.peer.requests(to: Generic.token).isEmpty && deployment.store.calls.isEmpty)
    }

    @Test("Each refusal has advice for the operator")
    func advice() {
        let advice = ClientRefusal.allCases.map(\.advice)
        #expect(Set(advice).count == ClientRefusal.allCases.count)
        #expect(advice.allSatisfy { $0.hasSuffix(".") && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
    }

    @Test("A code is neither sent nor spent while the keys for its ID token cannot be fetched")
    func keys() async throws {
        let deployment = try Deployment()
        deployment.peer.script(.get, Yahoo.keys, .status(500))
        try deployment.scriptYahoo(.yahoo(nonce: "nonce", at: deployment.clock.now))
        func exchange() async throws -> ProviderTokens {
            try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
                with: deployment.openIDConnect(of: deployment.yahoo), of: deployment.yahoo)
        }
        await expectRefusal(ProviderFailure.document(.keysRefused(status: 500)).refusal.unspent) {
            try await exchange()
        }
        #expect(deployment.peer.requests(to: Yahoo.token).isEmpty)
        #expect(deployment.store.calls.isEmpty)
        deployment.peer.script(.get, Yahoo.keys, .json(try TestKeys.shared.keySet()))
        deployment.clock.advance(by: .seconds(31))
        #expect(try await exchange().idToken != nil)
    }
}
