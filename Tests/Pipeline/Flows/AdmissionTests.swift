import Flows
import JOSE
import Providers
import Standards
internal import Stores
import Support
import Testing
import Verification

@Suite("ConcurrencyLimit")
struct AdmissionTests {
    /// What comes of this credential; nobody is asked, and nothing is spent.
    private func check(
        _ credential: Credential, of provider: ProviderID, client: ClientID = DeploymentPlan.app,
        is expected: Refusal, _ change: (inout DeploymentPlan) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let deployment = try Deployment(change)
        await expectRefusal(expected, sourceLocation: sourceLocation) {
            try await deployment.exchange(credential, of: provider, client: client)
        }
        #expect(deployment.store.calls.isEmpty, sourceLocation: sourceLocation)
        #expect(deployment.peer.requests.isEmpty, sourceLocation: sourceLocation)
    }

    private func code(
        redirectURI: String = DeploymentPlan.redirectURI, codeVerifier: String? = nil, nonce: String? = "nonce"
    ) -> Credential {
        .authorizationCode(
            code: Secret("code"), redirectURI: redirectURI, codeVerifier: codeVerifier.map { Secret($0) },
            nonce: nonce.map { Secret($0) })
    }

    @Test("EX-21: A client that is not configured is unknown", arguments: ["", "App", "app ", "evil"])
    func unknownClient(_ id: String) async throws {
        try await check(
            code(), of: Yahoo.id, client: ClientID(id),
            is: .unknownClient(among: [DeploymentPlan.app, DeploymentPlan.otherApp, DeploymentPlan.yahooApp]))
        let deployment = try Deployment()
        expectImmediateRefusal(Reason.unknownClient) {
            try deployment.flows.direct.issueNonce(client: ClientID(id), provider: Yahoo.id)
        }
        await expectRefusal(Reason.unknownClient) {
            try await deployment.begin(Yahoo.id, client: ClientID(id))
        }
    }

    @Test(
        "ST-18: A provider that is not configured is unknown, and the log has those that are, and nothing of its id",
        arguments: ["yahoo", "google.com", "", "../yahoo.com", "yahoo.com\0", "yahoo。com", "ya\nhoo"])
    func unknownProvider(_ id: String) async throws {
        let configured = [Generic.id, X.id, Yahoo.id].map(\.text).sorted().joined(separator: ", ")
        let expected = Self.unknown("is none of the configuration, which has \(configured)")
        try await check(code(), of: ProviderID(id), is: expected)
        let deployment = try Deployment()
        expectImmediateRefusal(expected) {
            try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: ProviderID(id))
        }
        await expectRefusal(expected) { try await deployment.begin(ProviderID(id)) }
    }

    @Test("The log says that an id differs from a configured one in case")
    func otherCase() async throws {
        try await check(
            code(), of: ProviderID(Yahoo.id.text.uppercased()),
            is: Self.unknown("differs from yahoo.com in upper and lower case"))
    }

    private static func unknown(_ finding: String) -> Refusal {
        Refusal(
            .unknownProvider, "No provider with this id is configured. Check the provider id.",
            finding: "the provider of the request \(finding)")
    }

    @Test("A provider that the client may not use is switched off for it")
    func providerDisabled() async throws {
        let client = DeploymentPlan.yahooApp
        let expected = Refusal(
            .providerDisabled,
            "This client may not use this provider. Use another provider, or add this one to the providers of the client.",
            finding: "the provider is \(X.id), and clients.\(client).providers has \(Yahoo.id)")
        try await check(code(), of: X.id, client: client, is: expected)
        let deployment = try Deployment()
        expectImmediateRefusal(Reason.providerDisabled) {
            try deployment.flows.direct.issueNonce(client: client, provider: X.id)
        }
        await expectRefusal(Reason.providerDisabled) { try await deployment.begin(X.id, client: client) }
    }

    @Test("IDT-24: A client that may use no provider may use none")
    func noProviders() async throws {
        let client = DeploymentPlan.client(DeploymentPlan.app, providers: [])
        try await check(code(), of: Yahoo.id, is: .providerDisabled(Yahoo.id, of: client)) { $0.clients = [client] }
    }

    @Test("A credential of a type that the provider, as configured, does not take is refused")
    func unsupported() async throws {
        let idToken = Credential.idToken(
            try IDTokenBuilder.yahoo(nonce: "n").token(), nonce: Secret("n"), accessToken: nil)
        let pair = Credential.oauth1Token(X.pair, nonce: Secret("n"))
        let expected = Refusal.unsupportedCredential.with(
            finding: "the type is oauth1_token, and accept of the provider has authorization_code, id_token")
        try await check(pair, of: Yahoo.id, is: expected)
        try await check(
            idToken, of: X.id, is: .unsupportedCredential(.idToken, accepting: [.authorizationCode, .oauth1Token]))
        try await check(
            code(), of: Yahoo.id, is: .unsupportedCredential(.authorizationCode, accepting: [.idToken])
        ) {
            $0.yahoo.acceptedCredentials = [.idToken]
        }
        try await check(
            idToken, of: Yahoo.id, is: .unsupportedCredential(.idToken, accepting: [.authorizationCode])
        ) {
            $0.yahoo.acceptedCredentials = [.authorizationCode]
        }
        try await check(
            pair, of: X.id, is: .unsupportedCredential(.oauth1Token, accepting: [.authorizationCode])
        ) {
            $0.xAcceptedCredentials = [.authorizationCode]
        }
    }

    @Test("A type that the configuration allows and the provider's protocol does not know is refused as well")
    func unsupportedByProtocol() async throws {
        let idToken = Credential.idToken(
            try IDTokenBuilder.yahoo(nonce: "n").token(), nonce: Secret("n"), accessToken: nil)
        try await check(.oauth1Token(X.pair, nonce: Secret("n")), of: Yahoo.id, is: .unsupportedCredential) {
            $0.yahoo.acceptedCredentials = [.oauth1Token]
        }
        try await check(idToken, of: X.id, is: .unsupportedCredential) { $0.xAcceptedCredentials = [.idToken] }
    }

    @Test("A callback is always accepted, because this server began the flow")
    func callback() async throws {
        let deployment = try Deployment { plan in
            plan.yahoo.acceptedCredentials = []
            plan.xAcceptedCredentials = []
        }
        for way in [Way.yahooCallback, .xOAuth2Callback, .xOAuth1Callback] {
            _ = try await deployment.exchange(way.credential(in: deployment, code: "c-\(way)"), of: way.provider)
        }
    }

    @Test("X2-01: An access token of Yahoo or X is refused for its audience, whatever the configuration says")
    func bareAccessToken() async throws {
        let token = Credential.accessToken(AccessToken("token"), nonce: nil)
        let expected = Refusal.audienceUnverifiable
        try await check(token, of: Yahoo.id, is: expected)
        try await check(token, of: X.id, is: expected)
        try await check(token, of: X.id, is: expected) { $0.xAcceptedCredentials = [.accessToken] }
        try await check(token, of: Generic.id, is: expected) { $0.generic.acceptedCredentials = [.idToken] }
    }

    @Test("An access token of Yahoo with a nonce of the server is refused too, if the configuration accepts the type")
    func bareAccessTokenWithNonce() async throws {
        let deployment = try Deployment { $0.yahoo.acceptedCredentials = [.accessToken] }
        let nonce = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        await expectRefusal(Refusal.audienceUnverifiable) {
            try await deployment.exchange(
                .accessToken(AccessToken("token"), nonce: nonce.verifier), of: Yahoo.id)
        }
        #expect(deployment.store.calls.isEmpty && deployment.peer.requests.isEmpty)
    }

    @Test(
        "ST-02: The redirect URI of a code is one of the client's to the last octet, a loopback port included",
        arguments: [
            "https://evil.example/cb", "https://app.example/cb/", "https://app.example/cb?x=1",
            "https://APP.example/cb", "http://127.0.0.1:51004/cb", "", DeploymentPlan.otherRedirectURI,
        ])
    func redirectURI(_ uri: String) async throws {
        let deployment = try Deployment()
        await expectRefusal(Reason.redirectURINotAllowed) {
            try await deployment.exchange(code(redirectURI: uri), of: Yahoo.id)
        }
        #expect(deployment.store.calls.isEmpty && deployment.peer.requests.isEmpty)
    }

    @Test("EX-04: A provider with PKCE wants the verifier")
    func verifierRequired() async throws {
        try await check(code(), of: Generic.id, is: .codeVerifierRequired)
        try await check(code(nonce: nil), of: X.id, is: .codeVerifierRequired)
    }

    @Test(
        "EX-06: A verifier of another form is refused",
        arguments: [
            String(repeating: "a", count: 42), String(repeating: "a", count: 129), "",
            String(repeating: "a", count: 43) + "+", String(repeating: "a", count: 43) + " ",
            String(repeating: "a", count: 43) + "é",
        ])
    func malformedVerifier(_ verifier: String) async throws {
        try await check(code(codeVerifier: verifier), of: Generic.id, is: .codeVerifierMalformed)
        try await check(code(codeVerifier: verifier, nonce: nil), of: X.id, is: .codeVerifierMalformed)
    }

    @Test("A verifier is refused if no challenge can have been sent (RFC 9700 §4.8.2)")
    func verifierWithoutChallenge() async throws {
        try await check(code(codeVerifier: Way.verifier), of: Yahoo.id, is: .parameterNotAllowed("code_verifier"))
    }

    @Test("Yahoo with PKCE switched on wants the verifier like any other")
    func yahooWithPKCE() async throws {
        try await check(code(), of: Yahoo.id, is: .codeVerifierRequired) { $0.yahoo.pkce = .s256 }
    }

    @Test("EX-23: OpenID Connect wants the nonce, and X has no use for one", arguments: [nil, ""])
    func nonce(_ nonce: String?) async throws {
        try await check(code(nonce: nonce), of: Yahoo.id, is: .nonceRequired)
        try await check(code(codeVerifier: Way.verifier, nonce: "n"), of: X.id, is: .parameterNotAllowed("nonce"))
    }

    @Test("EX-07: A code that was injected is found out by the nonce, though the provider ignores PKCE")
    func injectedCode() async throws {
        let deployment = try Deployment()
        try deployment.scriptGeneric(.generic(nonce: "the-victims"))
        await expectRefusal(JOSEError.nonceMismatch.refusal) {
            try await deployment.exchange(code(codeVerifier: Way.verifier, nonce: "the-attackers"), of: Generic.id)
        }
    }

    @Test("EX-23: The hash of a code's nonce is not the nonce")
    func hashedNonce() async throws {
        let deployment = try Deployment()
        let verifier = try #require(CodeVerifier(Way.verifier))
        try deployment.scriptYahoo(.yahoo(nonce: verifier.challenge))
        await expectRefusal(JOSEError.nonceMismatch.refusal) {
            try await deployment.exchange(code(nonce: Way.verifier), of: Yahoo.id)
        }
    }
}
