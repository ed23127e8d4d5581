import Exchange
import Flows
import JOSE
import Jansson
import Providers
import Standards
internal import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Beginning of flows")
struct BeginTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.scriptX()
    }

    private func check(
        _ provider: ProviderID, scopes: [String] = [], parameters: [String: String] = [:], flow: String? = nil,
        is expected: Refusal, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await expectRefusal(expected, sourceLocation: sourceLocation) {
            try await deployment.begin(provider, scopes: scopes, parameters: parameters, flow: flow)
        }
        #expect(deployment.peer.requests.isEmpty, sourceLocation: sourceLocation)
    }

    @Test("The request to Yahoo asks for a code, with the server's client id, state and nonce, and without PKCE")
    func yahoo() async throws {
        let flow = try await deployment.begin(Yahoo.id)
        #expect(flow.authorizationURL.hasPrefix(Yahoo.authorization + "?"))
        #expect(
            flow.parameters.pairs.map(\.name) == [
                "response_type", "client_id", "redirect_uri", "scope", "state", "nonce",
            ])
        #expect(flow.parameters["response_type"] == "code")
        #expect(flow.parameters["client_id"] == Yahoo.clientID)
        #expect(flow.parameters["redirect_uri"] == DeploymentPlan.redirectURI)
        #expect(flow.parameters["scope"] == "openid profile email")
        #expect(flow.parameters["state"]?.utf8.count == 43)
        // It is a sealed value; providers are said to accept at least 128 characters.
        #expect((43...128).contains(flow.parameters["nonce"]?.utf8.count ?? 0))
        #expect(!flow.authorizationURL.contains("+"))
        #expect(deployment.peer.requests.isEmpty)
    }

    @Test("X2-06: A provider with PKCE is sent a challenge of method S256, and X no nonce")
    func pkce() async throws {
        let generic = try await deployment.begin(Generic.id)
        #expect(generic.authorizationURL.hasPrefix(Generic.authorization + "?"))
        #expect(generic.parameters["code_challenge_method"] == "S256")
        #expect(generic.parameters["code_challenge"]?.utf8.count == 43)
        #expect(generic.parameters["nonce"] != nil)
        let x = try await deployment.begin(X.id)
        #expect(x.authorizationURL.hasPrefix(X.authorize + "?"))
        #expect(x.parameters["code_challenge_method"] == "S256")
        #expect(x.parameters["client_id"] == X.clientID)
        #expect(x.parameters["scope"] == "tweet.read users.read users.email")
        #expect(x.parameters["nonce"] == nil)
    }

    @Test("With OAuth 1.0a the server first obtains a request token, which is the only parameter of the URL")
    func oauth1() async throws {
        let flow = try await deployment.begin(X.id, parameters: ["force_login": "true"], flow: "oauth1")
        #expect(flow.authorizationURL == X.authenticate + "?oauth_token=request-token&force_login=true")
        let request = try #require(deployment.peer.requests.first)
        #expect(request.url == X.requestToken)
        #expect(OAuth1Audit(request)?.parameters["oauth_callback"] == DeploymentPlan.redirectURI)
    }

    @Test("Without a flow named it is the provider's default")
    func defaultFlow() async throws {
        let deployment = try Deployment { $0.xDefaultFlow = "oauth1" }
        deployment.scriptX()
        #expect(try await deployment.begin(X.id).authorizationURL.hasPrefix(X.authenticate))
        #expect(try await deployment.begin(X.id, flow: "oauth2").authorizationURL.hasPrefix(X.authorize))
    }

    @Test("A flow that the provider does not have is unknown", arguments: ["oauth3", "OAuth1", "", "openid"])
    func unknownFlow(_ flow: String) async {
        await check(X.id, flow: flow, is: .unknownFlow(at: deployment.x))
        #expect(
            Refusal.unknownFlow(at: deployment.x).finding
                == "the provider is configured with oauth1, oauth2, and flow names another one")
    }

    @Test(
        "ST-08: An application cannot set the parameters that bind a flow",
        arguments: [
            "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
            "code_challenge_method", "response_mode", "request", "request_uri", "claims", "id_token_hint",
            "client_secret", "oauth_token", "oauth_callback", "oauth_",
        ])
    func reserved(_ name: String) async throws {
        await check(Yahoo.id, parameters: [name: "x", "prompt": "login"], is: .reservedParameter(name))
        await check(X.id, parameters: [name: "x"], flow: "oauth1", is: .reservedParameter(name))
        // Even where the configuration allows it.
        let deployment = try Deployment { $0.yahoo.allowedParameters = [name] }
        await expectRefusal(Reason.reservedParameter) {
            try await deployment.begin(Yahoo.id, parameters: [name: "x"])
        }
    }

    @Test(
        "ST-08: A parameter that the configuration of the provider does not name is not sent",
        arguments: ["Prompt", "issuer", "authorization_endpoint", "jwks_uri", "ui_locales", "", "State"])
    func notAllowed(_ name: String) async {
        await check(Yahoo.id, parameters: [name: "x"], is: .parameterNotAllowed(name, at: deployment.yahoo))
    }

    @Test("The log has the parameters that are allowed, and not the name of another one")
    func notAllowedInLog() throws {
        let deployment = try Deployment { $0.yahoo.allowedParameters = ["prompt", "max_age"] }
        #expect(
            Refusal.parameterNotAllowed("stranger", at: deployment.yahoo).finding
                == "a parameter is none of allowed_parameters of the provider, which has max_age, prompt")
    }

    @Test("Parameters and scopes are compared by octets: a KELVIN SIGN is no K")
    func lookAlikes() async throws {
        let deployment = try Deployment {
            $0.yahoo.allowedParameters = ["K"]
            $0.yahoo.allowedScopes = ["K"]
        }
        await expectRefusal(Refusal.parameterNotAllowed("\u{212A}", at: deployment.yahoo)) {
            try await deployment.begin(Yahoo.id, parameters: ["\u{212A}": "x"])
        }
        await expectRefusal(Reason.invalidScope) {
            try await deployment.begin(Yahoo.id, scopes: ["\u{212A}"])
        }
        _ = try await deployment.begin(Yahoo.id, parameters: ["K": "x"])
        _ = try await deployment.begin(Yahoo.id, scopes: ["K"])
    }

    @Test("ST-10: A parameter that it names is sent as one value, whatever the value is")
    func allowed() async throws {
        let value = "a b&state=evil#\r\n+é"
        let flow = try await deployment.begin(Yahoo.id, parameters: ["language": "fr", "login_hint": "x"])
        #expect(flow.parameters["language"] == "fr")
        #expect(flow.parameters["login_hint"] == "x")
        let begun = try await deployment.flows.direct.begin(
            SignInRequest(
                client: DeploymentPlan.app, provider: Yahoo.id, redirectURI: DeploymentPlan.redirectURI, scopes: [],
                parameters: ["login_hint": value], flow: nil))
        let url = begun.authorizationURL.secretText
        #expect(url.hasSuffix("&login_hint=" + PercentEncoding.encode(value)))
        #expect(!url.utf8.contains { $0 <= 0x20 || $0 >= 0x7F })
    }

    @Test("A scope that the provider's configuration allows is added, once")
    func scopes() async throws {
        #expect(
            try await deployment.begin(Yahoo.id, scopes: ["mail-r", "email"]).parameters["scope"]
                == "openid profile email mail-r")
    }

    @Test("Any other is refused", arguments: ["mail-w", "MAIL-R", "", "mail-r mail-w"])
    func otherScopes(_ scope: String) async {
        let refusal = Refusal.scopeNotAllowed.with(
            finding: "a scope is none of scopes and allowed_scopes of the provider, which has email, mail-r, openid, "
                + "profile")
        await check(Yahoo.id, scopes: [scope], is: refusal)
        let configured = deployment.x.oauth2?.scopes ?? []
        await check(X.id, scopes: [scope], is: .scopeNotAllowed(at: deployment.x, beside: configured))
    }

    @Test("OAuth 1.0a has no scopes")
    func oauth1Scopes() async {
        await check(X.id, scopes: ["users.read"], flow: "oauth1", is: .scopeNotAllowed)
    }

    @Test(
        "ST-01, ST-04: A redirect URI that is not the client's is refused",
        arguments: [
            "https://evil.example/cb", "https://app.example/cb/", "https://app.example/cb?x=1",
            "https://app.example@evil.example/cb", "http://127.0.0.1.evil.example:1/cb", "com.evil.app:/cb",
            DeploymentPlan.otherRedirectURI, "",
        ])
    func redirectURI(_ uri: String) async {
        for flow in ["oauth1", "oauth2"] {
            await expectRefusal(Reason.redirectURINotAllowed) {
                try await deployment.begin(X.id, redirectURI: uri, flow: flow)
            }
        }
        #expect(deployment.peer.requests.isEmpty)
    }

    @Test(
        "The log shows a redirect URI that is not the client's without its query, in visible characters, beside those that are",
        arguments: [
            ("https://app.example/cb?code=secret", "https://app.example/cb?…"),
            ("https://app.example/cb?\u{301}code=secret", "https://app.example/cb?…"),
            ("https://app.example/cb#code=secret", "https://app.example/cb#…"),
            ("https%3A%2F%2Fapp.example%2Fcb%3Fcode%3Dsecret", "https%3A%2F%2Fapp.example%2Fcb%…"),
            ("https%253A%252F%252Fapp.example%252Fcb%253fcode%253Dsecret", "https%253A%252F%252Fapp.example%252Fcb%…"),
            ("https://app.example/cb&code=secret", "https://app.example/cb&…"),
            ("https://app.example/cb;code=secret", "https://app.example/cb;…"),
            ("https://app.example/cb%23code=secret", "https://app.example/cb%…"),
            ("https://app.example/%41%", "https://app.example/%41%"),
            ("https://app.example/\u{1B}[2J status=200", "https://app.example/?[2J[space]status=…"),
        ])
    func redirectURIInTheLog(_ uri: String, _ shown: String) async {
        let error = await refusal { try await deployment.begin(X.id, redirectURI: uri, flow: "oauth2") }
        let allowed = "clients.\(DeploymentPlan.app.text).provider_redirect_uris has"
        #expect(error?.finding?.hasPrefix("the redirect_uri is \(shown), and \(allowed) ") == true)
        #expect(error?.description.contains("app.example") == false)
    }

    @Test(
        "RFC 9700 §4.4: a redirect URI that the client has for another provider is refused, of a session and of a code")
    func redirectURIOfAnotherProvider() async throws {
        let (honest, own) = ("com.example.app:/honest", "com.example.app:/own")
        let deployment = try Deployment {
            $0.clients = [
                DeploymentPlan.client(
                    DeploymentPlan.app, providerRedirectURIs: .separate([Yahoo.id: [honest], X.id: [own]]))
            ]
        }
        await expectRefusal(Reason.redirectURINotAllowed) {
            try await deployment.begin(X.id, redirectURI: honest, flow: "oauth2")
        }
        await expectRefusal(Reason.redirectURINotAllowed) {
            try await deployment.exchange(
                .authorizationCode(
                    code: Secret("code-of-yahoo"), redirectURI: honest,
                    codeVerifier: Secret(String(repeating: "v", count: 43)), nonce: nil), of: X.id)
        }
        #expect(deployment.peer.requests.isEmpty && deployment.store.calls.isEmpty)
        _ = try await deployment.begin(X.id, redirectURI: own, flow: "oauth2")
        _ = try await deployment.begin(Yahoo.id, redirectURI: honest)
    }

    @Test(
        "A loopback redirect URI may have any port, and a private-use scheme is accepted",
        arguments: ["http://127.0.0.1:51004/cb", "http://127.0.0.1/cb", "com.example.app:/cb"])
    func nativeRedirectURI(_ uri: String) async throws {
        #expect(try await deployment.begin(Yahoo.id, redirectURI: uri).parameters["redirect_uri"] == uri)
    }

    @Test("ST-12: State, nonce, challenge and session of a thousand flows are all different")
    func unique() async throws {
        var states: Set<String> = []
        var nonces: Set<String> = []
        var challenges: Set<String> = []
        var sessions: Set<String> = []
        for _ in 0..<1000 {
            let flow = try await deployment.begin(Generic.id)
            states.insert(try #require(flow.parameters["state"]))
            nonces.insert(try #require(flow.parameters["nonce"]))
            challenges.insert(try #require(flow.parameters["code_challenge"]))
            sessions.insert(flow.session.secretText)
        }
        #expect(states.count == 1000 && nonces.count == 1000 && challenges.count == 1000 && sessions.count == 1000)
        #expect(states.isDisjoint(with: nonces) && states.isDisjoint(with: challenges))
        #expect(nonces.isDisjoint(with: challenges))
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("ST-12, X2-06: The verifier is in no URL, and is the one of the challenge when it is sent")
    func verifier() async throws {
        for way in [Way.genericCallback, .xOAuth2Callback] {
            let flow = try await way.begin(in: deployment)
            _ = try await deployment.finish(flow, way.callback(flow), of: way.provider)
            let request = try #require(deployment.peer.requests(to: way.tokenEndpoint).first)
            let verifier = try #require(try request.form["code_verifier"])
            #expect(CodeVerifier(verifier)?.challenge == flow.parameters["code_challenge"])
            #expect(!flow.authorizationURL.contains(verifier))
            #expect(!flow.session.secretText.contains(verifier))
        }
    }

    @Test("A session reveals nothing to its holder")
    func sealed() async throws {
        let flow = try await Way.xOAuth1Callback.begin(in: deployment)
        for text in ["request-secret", "request-token", DeploymentPlan.redirectURI] {
            #expect(!flow.session.secretText.contains(text))
        }
    }

    @Test("A flow lasts ten minutes")
    func lifetime() async throws {
        let begun = try await deployment.flows.direct.begin(
            SignInRequest(
                client: DeploymentPlan.app, provider: Yahoo.id, redirectURI: DeploymentPlan.redirectURI, scopes: [],
                parameters: [:], flow: nil))
        #expect(begun.expiresIn == 600)
    }

    @Test("A max_age must be a number, because it is checked afterwards")
    func maximumAge() async throws {
        let refusal = Refusal.parameterMalformed("max_age", "is not a number of seconds from 0 to \(Int64.max)")
        for text in ["", "abc", "-1", "1.5", "300s", " 300", "99999999999999999999"] {
            await check(Yahoo.id, parameters: ["max_age": text], is: refusal)
        }
        #expect(try await deployment.begin(Yahoo.id, parameters: ["max_age": "0"]).parameters["max_age"] == "0")
    }

    @Test("IDT-27: The requested max_age is compared with auth_time of the ID token")
    func maximumAgeChecked() async throws {
        let now = TestClock.start
        for (age, isFresh) in [(360, true), (361, false)] as [(Int64, Bool)] {
            let deployment = try Deployment()
            let flow = try await deployment.begin(Yahoo.id, parameters: ["max_age": "300"])
            let time = now - .seconds(age)
            try deployment.scriptYahoo(
                .yahoo(nonce: flow.parameters["nonce"] ?? "").setting("auth_time", to: .integer(time.seconds)))
            if isFresh {
                _ = try await deployment.finish(flow, flow.callback(code: "c"), of: Yahoo.id)
            } else {
                await expectRefusal(JOSEError.authenticationTooOld(at: time, now: now).refusal) {
                    try await deployment.finish(flow, flow.callback(code: "c"), of: Yahoo.id)
                }
            }
        }
    }

    @Test("Without metadata no flow begins")
    func noMetadata() async {
        deployment.peer.script(.get, Generic.metadata, .status(500))
        await expectRefusal(ProviderFailure.document(.status(500)).refusal.unspent) {
            try await deployment.begin(Generic.id)
        }
    }

    @Test("O1-13: Without a request token no flow begins")
    func noRequestToken() async {
        deployment.peer.script(.post, X.requestToken, .status(401))
        await expectRefusal(ProviderFailure.refusedClient(.consumerKey).refusal.unspent) {
            try await deployment.begin(X.id, flow: "oauth1")
        }
        deployment.peer.script(.post, X.requestToken, .form("oauth_token=t&oauth_token_secret=s"))
        await expectRefusal(ProviderFailure.malformedResponse("oauth_callback_confirmed").refusal.unspent) {
            try await deployment.begin(X.id, flow: "oauth1")
        }
    }

    @Test("If the random source fails at any point, no flow begins")
    func noRandomness() async throws {
        for provider in [Yahoo.id, Generic.id, X.id] {
            let before = deployment.random.calls
            _ = try await deployment.begin(provider)
            for call in 1...(deployment.random.calls - before) {
                deployment.random.fail(atCall: call)
                await expectRefusal(RandomFailure().refusal) { try await deployment.begin(provider) }
            }
        }
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) {
            try await deployment.begin(X.id, flow: "oauth1")
        }
    }
}
