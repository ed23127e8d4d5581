import Accounts
import Exchange
import Flows
import JOSE
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Callbacks")
struct CallbackTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    /// A callback that does not belong to the flow is refused, asks nobody, and leaves the flow as good as before.
    private func check(
        _ way: Way, _ callback: (TestFlow) -> Secret, is expected: Refusal,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let deployment = try Deployment()
        let flow = try await way.begin(in: deployment)
        await expectRefusal(expected, sourceLocation: sourceLocation) {
            try await deployment.finish(flow, callback(flow), of: way.provider)
        }
        #expect(deployment.peer.requests(to: way.tokenEndpoint).isEmpty, sourceLocation: sourceLocation)
        #expect(deployment.store.calls.isEmpty, sourceLocation: sourceLocation)
        let outcome = try await deployment.finish(flow, way.callback(flow), of: way.provider)
        #expect(outcome.account.uid == way.uid, sourceLocation: sourceLocation)
    }

    /// A callback that says no ends the flow, and asks nobody.
    private func checkRefusal(
        _ way: Way, _ callback: (TestFlow) -> Secret, is expected: ProviderRefusal,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let deployment = try Deployment()
        let flow = try await way.begin(in: deployment)
        await expectRefusal(expected.refusal, sourceLocation: sourceLocation) {
            try await deployment.finish(flow, callback(flow), of: way.provider)
        }
        #expect(deployment.store.spentKinds == [.session], sourceLocation: sourceLocation)
        #expect(deployment.peer.requests(to: way.tokenEndpoint).isEmpty, sourceLocation: sourceLocation)
        await expectRefusal(Refusal.replayed(.session), sourceLocation: sourceLocation) {
            try await deployment.finish(flow, way.callback(flow), of: way.provider)
        }
    }

    // MARK: The name that a form carries

    @Test("A name in the callback is that of a new account only, and nothing else of it is read")
    func carriedName() async throws {
        let deployment = try Deployment { plan in
            plan.yahoo.endpoints.userInfo = nil
            plan.yahoo.callbackName = OpenIDConnectRegistration.apple.callbackName
        }
        func signIn(_ user: String, code: String) async throws -> SignInOutcome {
            let flow = try await Way.yahooCallback.begin(in: deployment)
            let url = Way.yahooCallback.callback(flow, code: code).secretText + "&user=" + PercentEncoding.encode(user)
            return try await deployment.finish(flow, Secret(url), of: Yahoo.id)
        }
        let first = try await signIn(
            #"{"name":{"firstName":"Ann","lastName":"Example"},"email":"other@example.org","sub":"another"}"#,
            code: "code-1")
        #expect(first.account.isNew && first.account.identity?.profile.name == "Ann Example")
        #expect(first.account.identity?.profile.email != "other@example.org")
        #expect(first.account.identity?.subject.text == Yahoo.subject)
        let second = try await signIn(#"{"name":{"firstName":"Mallory"}}"#, code: "code-2")
        #expect(!second.account.isNew && second.account.identity?.profile.name != "Mallory")
    }

    @Test("A form's parameter is redirected without what is not read of it")
    func reducedName() throws {
        let name = try #require(OpenIDConnectRegistration.apple.callbackName)
        #expect(
            name.reduced(#"{"name":{"firstName":"Ann"},"email":"ann@b.example"}"#) == #"{"name":{"firstName":"Ann"}}"#)
        #expect(name.reduced("Ann") == "{}")
    }

    @Test(
        "OAuth 2.0: a response that names another issuer is refused, also if the registration names none",
        arguments: [
            ("https://discord.com", true), ("https://discord.com/", false), ("https://evil.example", false),
            ("http://discord.com", false), ("", false),
        ])
    func issuerOfOAuth2(_ issuer: String, _ isAccepted: Bool) throws {
        #expect(OAuth2Registration.discord.oauth2.accepts(issuer: issuer) == isAccepted)
        var unknown = OAuth2Registration.discord.oauth2
        unknown.issuer = nil
        // Without the exact issuer, only the host is compared.
        #expect(unknown.accepts(issuer: issuer) == issuer.hasPrefix("https://discord.com"))
    }

    @Test(
        "A name that is malformed is left out, and the person signs in",
        arguments: [
            "", "Ann", "[]", #"{"name":"Ann"}"#, #"{"name":{"firstName":["Ann"]}}"#, #"{"name":{"firstName":""}}"#,
        ])
    func malformedName(_ user: String) async throws {
        let deployment = try Deployment { plan in
            plan.yahoo.endpoints.userInfo = nil
            plan.yahoo.callbackName = OpenIDConnectRegistration.apple.callbackName
        }
        let flow = try await Way.yahooCallback.begin(in: deployment)
        let url = Way.yahooCallback.callback(flow).secretText + "&user=" + PercentEncoding.encode(user) + "&user=%FF"
        #expect(try await deployment.finish(flow, Secret(url), of: Yahoo.id).account.isNew)
    }

    // MARK: State

    @Test(
        "CB-01, CB-02, CB-07: A callback of another state is refused, and burns nothing",
        arguments: [Way.yahooCallback, .genericCallback, .xOAuth2Callback])
    func otherState(_ way: Way) async throws {
        try await check(way, { $0.callback("code=c") }, is: .stateMissing)
        try await check(way, { $0.callback("code=c&state=") }, is: .stateMismatch)
        try await check(way, { $0.callback("code=c&state=x") }, is: .stateMismatch)
        let spellings: [(String) -> String] = [
            { String($0.dropLast()) }, { $0 + "A" }, { $0.uppercased() }, { $0 + "%20" }, { "%20" + $0 },
        ]
        for spelling in spellings {
            try await check(
                way, { $0.callback("code=c&state=" + spelling($0.parameters["state"] ?? "")) }, is: .stateMismatch)
        }
    }

    @Test(
        "A callback as HTML contains it, and one without a response, are told as such",
        arguments: [
            ("code=c&amp;state=STATE", "the callback has &amp; in place of &: the application, or a page"),
            ("code=c&amp%3Bstate=STATE", "the callback has &amp; in place of &: the application, or a page"),
            ("", "the callback has none of the parameters of a response. If its address has no query, the provider"),
            ("session_state=s", "the callback has none of the parameters of a response"),
            ("response=eyJhbGciOiJSUzI1NiJ9.e30.c2ln", "the callback has none of the parameters of a response"),
        ])
    func withoutState(_ query: String, _ finding: String) async throws {
        let flow = try await Way.yahooCallback.begin(in: deployment)
        let answer = flow.callback(query.replacing("STATE", with: flow.parameters["state"] ?? ""))
        let refusal = await #expect(throws: Refusal.self) { try await deployment.finish(flow, answer, of: Yahoo.id) }
        #expect(refusal?.reason == .stateMismatch && refusal?.finding?.hasPrefix(finding) == true)
        #expect(deployment.store.calls.isEmpty && refusal?.description == Refusal.stateMissing.description)
    }

    @Test("CB-07: A state that is percent-encoded is the same once it is decoded")
    func encodedState() async throws {
        let flow = try await Way.yahooCallback.begin(in: deployment)
        let state = try #require(flow.parameters["state"]).utf8.map { "%" + String($0, radix: 16) }.joined()
        _ = try await deployment.finish(flow, flow.callback("state=\(state)&code=c"), of: Yahoo.id)
    }

    @Test("CB-03: The state of another flow of the same person is another one")
    func stateOfOtherFlow() async throws {
        let first = try await Way.yahooCallback.begin(in: deployment)
        let second = try await Way.yahooCallback.begin(in: deployment)
        await expectRefusal(Refusal.stateMismatch) {
            try await deployment.finish(first, second.callback(code: "c"), of: Yahoo.id)
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("CB-15: Each of two flows of one person ends by its own state, nonce and verifier")
    func twoFlows() async throws {
        let first = try await Way.genericCallback.begin(in: deployment)
        let second = try await Way.genericCallback.begin(in: deployment)
        try deployment.scriptGeneric(.generic(nonce: first.parameters["nonce"] ?? ""))
        _ = try await deployment.finish(first, first.callback(code: "1"), of: Generic.id)
        let verifier = try deployment.peer.requests(to: Generic.token).last?.form["code_verifier"] ?? ""
        #expect(CodeVerifier(verifier)?.challenge == first.parameters["code_challenge"])
        try deployment.scriptGeneric(.generic(nonce: second.parameters["nonce"] ?? ""))
        _ = try await deployment.finish(second, second.callback(code: "2"), of: Generic.id)
    }

    @Test("CB-20: A stolen code under the thief's own flow is found out by the nonce, though PKCE is ignored")
    func injectedCode() async throws {
        let flow = try await Way.genericCallback.begin(in: deployment)
        try deployment.scriptGeneric(.generic(nonce: "the-victims"))
        await expectRefusal(JOSEError.nonceMismatch.refusal) {
            try await deployment.finish(flow, flow.callback(code: "stolen"), of: Generic.id)
        }
    }

    // MARK: Form

    @Test(
        "A callback to another address than the flow's is refused, however like it is written",
        arguments: [
            "https://evil.example/cb", "https://app.example/cb/", "https://app.example/cb%2f", "http://app.example/cb",
            "https://APP.example/cb", "https://app.example:443/cb", "http://127.0.0.1/cb", "com.example.app:/cb",
            "https://app.example/c", " https://app.example/cb", "",
        ])
    func otherAddress(_ address: String) async throws {
        try await check(
            .yahooCallback, { Secret(address + "?code=c&state=" + ($0.parameters["state"] ?? "")) },
            is: .otherCallback(address + "?", of: DeploymentPlan.redirectURI))
    }

    @Test("So is one without parameters, and one with a fragment in their place")
    func noParameters() async throws {
        let redirectURI = DeploymentPlan.redirectURI
        try await check(
            .yahooCallback, { Secret($0.redirectURI) }, is: .otherCallback(redirectURI, of: redirectURI))
        try await check(
            .yahooCallback, { Secret($0.redirectURI + "#code=c&state=" + ($0.parameters["state"] ?? "")) },
            is: .otherCallback(redirectURI + "#", of: redirectURI))
        try await check(
            .yahooCallback, { Secret($0.redirectURI + "&code=c&state=" + ($0.parameters["state"] ?? "")) },
            is: .otherCallback(redirectURI + "&", of: redirectURI))
    }

    @Test(
        "The log says from where on a callback differs from its redirect URI, and has nothing of it",
        arguments: [
            ("com.app:///cb?code=secret", "differs from this after 9 octets"),
            ("COM.app:/cb?code=secret", "differs from this after 0 octets"),
            ("com.app:/cb", "ends with it: the application has to keep the query"),
            ("com.app:/cb#secret", "has # after it: the provider has to write its response into the query"),
            ("com.app:/cb/secret", "has something else after it"),
            ("com.app:/cb?" + String(repeating: "a", count: 16384), "has more than 16384 octets"),
        ])
    func difference(_ callback: String, _ found: String) {
        #expect(
            Refusal.otherCallback(callback, of: "com.app:/cb").finding
                == "the callback_url has to be the redirect_uri of its session with a query after it, and \(found)")
    }

    @Test("A loopback flow ends at the port at which it began")
    func loopbackPort() async throws {
        let flow = try await Way.yahooCallback.begin(in: deployment, redirectURI: "http://127.0.0.1:51004/cb")
        let query = "?code=c&state=" + (flow.parameters["state"] ?? "")
        for other in ["http://127.0.0.1:51005/cb", "http://127.0.0.1/cb"] {
            await expectRefusal(Refusal.otherCallback(other + "?", of: "http://127.0.0.1:51004/cb")) {
                try await deployment.finish(flow, Secret(other + query), of: Yahoo.id)
            }
        }
        _ = try await deployment.finish(flow, flow.callback(code: "c"), of: Yahoo.id)
        #expect(
            try deployment.peer.requests(to: Yahoo.token).first?.form["redirect_uri"] == "http://127.0.0.1:51004/cb")
    }

    @Test("A browser writes the empty path of a redirect URI as a slash", arguments: ["/?", "?"])
    func emptyPath(_ separator: String) async throws {
        let redirectURI = "http://127.0.0.1:51004"
        let deployment = try Deployment { plan in
            plan.clients[0] = DeploymentPlan.client(DeploymentPlan.app, redirectURIs: [redirectURI])
        }
        let flow = try await Way.yahooCallback.begin(in: deployment, redirectURI: redirectURI)
        let query = "code=c&state=" + (flow.parameters["state"] ?? "")
        for other in ["//?", "/x?", "/#"] {
            await expectRefusal(Refusal.otherCallback(redirectURI + other, of: redirectURI)) {
                try await deployment.finish(flow, Secret(redirectURI + other + query), of: Yahoo.id)
            }
        }
        _ = try await deployment.finish(flow, Secret(redirectURI + separator + query), of: Yahoo.id)
        #expect(try deployment.peer.requests(to: Yahoo.token).first?.form["redirect_uri"] == redirectURI)
    }

    @Test("Parameters are added to the query that a redirect URI has of its own (RFC 6749 §3.1.2)")
    func ownQuery() async throws {
        let uri = "https://app.example/cb?tenant=a"
        let deployment = try Deployment {
            $0.clients = [DeploymentPlan.client(DeploymentPlan.app, redirectURIs: [uri])]
        }
        let flow = try await Way.yahooCallback.begin(in: deployment, redirectURI: uri)
        let query = "code=c&state=" + (flow.parameters["state"] ?? "")
        for other in [uri + "?" + query, "https://app.example/cb?" + query] {
            await expectRefusal(Refusal.otherCallback(other, of: uri)) {
                try await deployment.finish(flow, Secret(other), of: Yahoo.id)
            }
        }
        _ = try await deployment.finish(flow, Secret(uri + "&" + query), of: Yahoo.id)
    }

    @Test(
        "CB-10, CB-18, CB-19: A response that is not exactly one is refused, and spends nothing; the log says what is wrong",
        arguments: [
            ("", CallbackFault.noCode), ("&code=", .noCode), ("&code=c&error=access_denied", .codeAndError),
            ("&oauth_token=t&oauth_verifier=v", .verifierForCode), ("&code=&oauth_verifier=v", .verifierForCode),
            ("&code=c&code=d", .repeated), ("&code=c&state=x", .repeated), ("&error=access_denied&error=x", .repeated),
            ("&code=c#fragment", .fragment), ("#code=c", .fragment), ("&code=%zz", .unreadable),
            ("&code=a%0d%0ab", .unreadable), ("&code=%00", .unreadable), ("&access_token=t", .token),
            ("&id_token=t", .token), ("&code=c&access_token=t", .token), ("&code=c&id_token=t", .token),
        ])
    func malformed(_ rest: String, _ fault: CallbackFault) async throws {
        for way in [Way.yahooCallback, .xOAuth2Callback] {
            try await check(
                way, { $0.callback("state=" + ($0.parameters["state"] ?? "") + rest) }, is: .malformedCallback(fault))
        }
    }

    @Test("An empty code beside an error counts as omitted (RFC 6749 §3.1)")
    func emptyCodeBesideError() async throws {
        try await checkRefusal(
            .yahooCallback,
            { $0.callback("code=&error=access_denied&state=" + ($0.parameters["state"] ?? "")) }, is: .accessDenied)
    }

    @Test("A callback of more than 16 KiB is none")
    func large() async throws {
        try await check(
            .yahooCallback,
            {
                $0.callback("state=" + ($0.parameters["state"] ?? "") + "&code=" + String(repeating: "a", count: 16384))
            },
            is: .otherCallback(String(repeating: "a", count: 16385), of: DeploymentPlan.redirectURI))
    }

    @Test("CB-23: Other parameters of a callback are ignored")
    func furtherParameters() async throws {
        let flow = try await Way.yahooCallback.begin(in: deployment)
        let query = "user=%7B%22email%22%3A%22victim%40x%22%7D&email=victim&uid=victim&sub=victim&session_state=x"
        let outcome = try await deployment.finish(
            flow, Secret(flow.callback(code: "c").secretText + "&" + query), of: Yahoo.id)
        #expect(outcome.account.uid == Way.yahooCallback.uid)
    }

    @Test(
        "What is not read of a callback may hold anything, so that the application learns of the refusal",
        arguments: [
            "&error_description=AADSTS65004%3a+declined.%0d%0aTrace+ID%3a+0aa%0d%0aTimestamp%3a+2026-11-25",
            "&error_description=refus%E9&error_uri=https%3a%2f%2flogin.example%2ferror%3fcode%3d65004",
            "&error_description=refusé", "&error_description=%zz", "&error_subcode=cancel&error_subcode=cancel", "#",
            "#_=_",
        ])
    func unreadParameters(_ rest: String) async throws {
        try await checkRefusal(
            .yahooCallback, { $0.callback("error=access_denied&state=\($0.parameters["state"] ?? "")\(rest)") },
            is: .accessDenied)
    }

    // MARK: Issuer

    @Test("CB-12: A response that names another issuer is refused, and spends nothing")
    func otherIssuer() async throws {
        for way in [Way.yahooCallback, .genericCallback] {
            for issuer in ["https://evil.example", "", "https://id.example/", "http://id.example"] {
                let refusal = Refusal.callbackOfOtherIssuer(
                    CallbackIssuer(
                        found: issuer, expected: [way.provider == Generic.id ? Generic.issuer : Yahoo.issuer]))
                try await check(
                    way, { Secret($0.callback(code: "c").secretText + "&iss=" + PercentEncoding.encode(issuer)) },
                    is: refusal)
                try await check(
                    way,
                    {
                        $0.callback(
                            "error=access_denied&state=\($0.parameters["state"] ?? "")&iss="
                                + PercentEncoding.encode(issuer))
                    }, is: refusal)
            }
        }
    }

    @Test(
        "A callback of another spelling of the issuer is refused, and the operator reads both spellings and what to write",
        arguments: [
            (
                "https://idp.example/",
                "iss of the callback is https://idp.example/, and the issuer of this provider is "
                    + "https://idp.example", "write it as issuer"
            ),
            (
                nil, "the callback has no iss, which the provider announces; its issuer is https://idp.example",
                "authorization_response_iss_parameter_supported"
            ),
            (
                "https://x\n\u{E9}",
                "iss of the callback is https://x??, and the issuer of this provider is https://idp.example",
                "write it as issuer"
            ),
            (
                "http://idp.example",
                "iss of the callback is http://idp.example, and the issuer of this provider is https://idp.example",
                "let the provider trust X-Forwarded-Proto"
            ),
        ] as [(String?, String, String)])
    func issuerAdvice(_ found: String?, _ finding: String, _ advice: String) {
        let refusal = Refusal.callbackOfOtherIssuer(CallbackIssuer(found: found, expected: ["https://idp.example"]))
        #expect(refusal.reason == .issuerMismatch && refusal.finding == finding)
        #expect((refusal.cause as? any AdvisingCause)?.advice?.contains(advice) == true)
    }

    @Test("The advice about iss at an OAuth 2.0 provider names the key that its section has")
    func issuerOfOAuth2() {
        func issuer(_ expected: [String]) -> CallbackIssuer {
            CallbackIssuer(found: "https://login.example/r", expected: expected, key: "endpoints.issuer")
        }
        let unknown = Refusal.callbackOfOtherIssuer(issuer([]))
        #expect(
            unknown.finding
                == "iss of the callback is https://login.example/r, and endpoints.authorization is at another host")
        for expected in [[], ["https://op.example"]] {
            let advice = issuer(expected).advice ?? ""
            #expect(advice.contains("write it as endpoints.issuer.") && !advice.contains("write both"))
        }
    }

    @Test("CB-13: If the provider announces iss, a response without it is refused")
    func missingIssuer() async throws {
        let member = "authorization_response_iss_parameter_supported"
        deployment.peer.script(.get, Generic.metadata, .json(Generic.metadataText(changing: [member: "true"])))
        let flow = try await Way.genericCallback.begin(in: deployment)
        let refusal = Refusal.callbackOfOtherIssuer(CallbackIssuer(found: nil, expected: [Generic.issuer]))
        await expectRefusal(refusal) {
            try await deployment.finish(flow, flow.callback(code: "c"), of: Generic.id)
        }
        #expect(deployment.store.calls.isEmpty)
        let whole = flow.callback(code: "c").secretText + "&iss=" + PercentEncoding.encode(Generic.issuer)
        _ = try await deployment.finish(flow, Secret(whole), of: Generic.id)
    }

    // MARK: Refusal

    @Test(
        "CB-08: A person, or a provider, that says no ends the flow",
        arguments: [
            ("access_denied", ProviderRefusal.accessDenied),
            ("user_cancelled_authorize", .accessDenied), ("user_cancelled_login", .accessDenied),
            ("server_error", .refusedByProvider(.serverError)),
            ("temporarily_unavailable", .refusedByProvider(.temporarilyUnavailable)),
            ("unauthorized_client", .refusedByProvider(.unauthorizedClient)),
            ("invalid_request", .refusedByProvider(.invalidRequest)),
            ("unsupported_response_type", .refusedByProvider(.unsupportedResponseType)),
            ("login_required", .interactionRequired(.login, isSilent: false)),
            ("consent_required", .interactionRequired(.consent, isSilent: false)),
            ("account_selection_required", .interactionRequired(.accountSelection, isSilent: false)),
            ("interaction_required", .interactionRequired(.interaction, isSilent: false)),
            ("application_suspended", .refusedByProvider(.applicationSuspended)),
            ("LOGIN_REQUIRED", .interactionRequired(.login, isSilent: false)),
            ("", .refusedByProvider(.other)), ("ACCESS_DENIED", .accessDenied),
            ("INVALID_REQUEST", .refusedByProvider(.invalidRequest)), ("access denied", .refusedByProvider(.other)),
        ])
    func refusal(_ error: String, _ expected: ProviderRefusal) async throws {
        for way in [Way.yahooCallback, .genericCallback, .xOAuth2Callback] {
            try await checkRefusal(
                way,
                {
                    $0.callback("error=\(error)&error_description=%3Cscript%3E&state=" + ($0.parameters["state"] ?? ""))
                },
                is: expected)
        }
    }

    @Test(
        "The operator reads the error of a callback that the person did not cause, and what to do",
        arguments: [
            (
                AuthorizationError.applicationSuspended,
                "the provider sent the browser back with application_suspended",
                "The provider has suspended the registration"
            ),
            (
                AuthorizationError.unauthorizedClient, "the provider sent the browser back with unauthorized_client",
                "code flow"
            ),
            (.invalidRequest, "the provider sent the browser back with invalid_request", "redirect URI"),
            (
                .unsupportedResponseType, "the provider sent the browser back with unsupported_response_type",
                "response type code"
            ),
            (.other, "the provider sent the browser back with another error", "what the provider says"),
            (
                .unnamed, "the provider sent the browser back with an error, and without the parameter error",
                "redirect URI that token-exchange doctor prints"
            ),
        ])
    func refusalAdvice(_ error: AuthorizationError, _ finding: String, _ advice: String) {
        let refusal = ProviderRefusal.refusedByProvider(error).refusal
        #expect(refusal.reason == .providerError && refusal.finding == finding)
        #expect((refusal.cause as? any AdvisingCause)?.advice?.contains(advice) == true)
    }

    @Test(
        "An error that a provider describes without the parameter error ends the flow as one of the provider",
        arguments: [
            ("error_code=1349048&error_message=Can%27t%20load%20URL", ProviderRefusal.refusedByProvider(.unnamed)),
            ("error_reason=other", .refusedByProvider(.unnamed)), ("error_reason=user_denied", .accessDenied),
        ])
    func unnamedError(_ query: String, _ expected: ProviderRefusal) async throws {
        for way in [Way.yahooCallback, .xOAuth2Callback] {
            try await checkRefusal(
                way, { $0.callback(query + "&state=" + ($0.parameters["state"] ?? "")) }, is: expected)
        }
    }

    @Test("The operator reads what the callback says, without the values of the flow")
    func wordsOfCallback() async throws {
        let flow = try await deployment.begin(Yahoo.id)
        let state = flow.parameters["state"] ?? ""
        let answer = flow.callback(
            "error=invalid_request&error_description=state%20\(state)%20of%20\(Yahoo.clientSecret)&state=\(state)")
        let refusal = await #expect(throws: Refusal.self) {
            try await deployment.finish(flow, answer, of: Yahoo.id)
        }
        #expect(refusal?.words == "error: invalid_request; error_description: state [left out] of [left out]")
    }

    @Test("The operator reads the error of a callback without state")
    func wordsWithoutState() async throws {
        let flow = try await deployment.begin(Yahoo.id)
        let answer = flow.callback("error=invalid_request&error_description=Missing%20parameter%20state")
        let refusal = await #expect(throws: Refusal.self) {
            try await deployment.finish(flow, answer, of: Yahoo.id)
        }
        #expect(refusal == .stateMissing)
        #expect(refusal?.words == "error: invalid_request; error_description: Missing parameter state")
    }

    @Test("A denied access is never blamed on the user only: a provider denies it as well (RFC 6749 §4.1.2.1)")
    func deniedByProvider() async throws {
        let flow = try await deployment.begin(Yahoo.id)
        let state = flow.parameters["state"] ?? ""
        let answer = flow.callback(
            "error=access_denied&error_description=User+is+not+assigned+to+the+client+application.&state=\(state)")
        let refusal = await #expect(throws: Refusal.self) {
            try await deployment.finish(flow, answer, of: Yahoo.id)
        }
        #expect(refusal?.reason == .accessDenied)
        #expect(
            refusal?.description == "The user or the provider denied the access. Begin again only if the user wants to."
        )
        #expect(
            refusal?.words == "error: access_denied; error_description: User is not assigned to the client application."
        )
    }

    @Test("A scope that the provider refuses is told to the operator beside those that its metadata names")
    func refusedScope() async throws {
        let deployment = try Deployment { $0.generic.scopes = ["openid", "profile"] }
        deployment.peer.script(
            .get, Generic.metadata, .json(Generic.metadataText(changing: ["scopes_supported": #"["openid"]"#])))
        let flow = try await deployment.begin(Generic.id)
        let answer = flow.callback("error=invalid_scope&state=" + (flow.parameters["state"] ?? ""))
        let refusal = await #expect(throws: Refusal.self) {
            try await deployment.finish(flow, answer, of: Generic.id)
        }
        #expect(refusal?.reason == .invalidScope && refusal?.concernsOperator == true)
        #expect(refusal?.finding == "the provider refuses a scope of openid profile; its metadata names openid")
        #expect((refusal?.cause as? any AdvisingCause)?.advice?.contains("allow the others") == true)
        let own = RefusedScopes(configured: ["openid"], requested: [], supported: nil)
        #expect(own.refusal.description.contains("The operator must change scopes"))
        let both = RefusedScopes(configured: ["openid"], requested: ["mail-r"], supported: nil)
        #expect(both.refusal.description.contains("Request only scopes"))
        #expect(both.sentence.hasSuffix("or of mail-r, which the application requests"))
    }

    @Test(
        "CB-09: The error distinguishes a provider that had to show a page from one that was forbidden to",
        arguments: [
            (["prompt": "none"], true), (["prompt": "none login"], true), (["prompt": "login"], false),
            (["prompt": "None"], false), ([:], false),
        ])
    func silence(_ parameters: [String: String], _ isSilent: Bool) async throws {
        let flow = try await deployment.begin(Yahoo.id, parameters: parameters)
        let answer = flow.callback("error=login_required&state=" + (flow.parameters["state"] ?? ""))
        let expected = ProviderRefusal.interactionRequired(.login, isSilent: isSilent).refusal
        await expectRefusal(expected) { try await deployment.finish(flow, answer, of: Yahoo.id) }
        let advice = (expected.cause as? any AdvisingCause)?.advice
        #expect((advice?.contains("a consent that only an administrator can give") == true) != isSilent)
    }

    @Test("A posted response names response_mode only for a section with OpenID Connect, which has that key")
    func postedResponse() {
        let finding = Refusal.unexpectedForm(of: Yahoo.id).finding
        #expect(
            finding?.contains("and the section uses OpenID Connect, write response_mode: form_post; otherwise") == true)
    }

    @Test("CB-09: An error of another state is refused, and burns nothing")
    func refusalOfOtherState() async throws {
        try await check(.yahooCallback, { $0.callback("error=access_denied") }, is: .stateMissing)
        try await check(.yahooCallback, { $0.callback("error=access_denied&state=x") }, is: .stateMismatch)
    }
}
