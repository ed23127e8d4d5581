import Fixtures
import Jansson
import Providers
import Standards
import Testing
import Transport

@testable import token_exchange

@Suite("doctor --sign-in")
struct DoctorSignInTests {
    private static func outcome(_ step: WalkStop.Step?, isAboutRequest: Bool = false) -> WalkOutcome {
        let finding = Finding("sign_in.x", .error, "It failed.")
        return WalkOutcome(
            findings: [], stop: step.map { WalkStop($0, finding, isAboutRequest: isAboutRequest) })
    }

    @Test(
        "The setting off is right only if the provider refuses the request or the code with S256",
        arguments: [
            (nil, false, .warning), (.verification, false, .warning), (.authorization, true, .ok),
            (.redemption, true, .ok), (.authorization, false, .skipped), (.redemption, false, .skipped),
            (.request, false, .skipped), (.ended, false, .skipped),
        ] as [(WalkStop.Step?, Bool, Finding.Severity)])
    func hardening(step: WalkStop.Step?, isAboutRequest: Bool, severity: Finding.Severity) {
        let attempt = Self.outcome(step, isAboutRequest: isAboutRequest)
        #expect(PKCEFindings.hardening(attempt, of: "a").severity == severity)
    }

    @Test("The advice to switch PKCE off is not taken back by the advice for a provider whose setting is off")
    func takesBackNothing() {
        let hardening = PKCEFindings.hardening(Self.outcome(nil), of: "a")
        #expect("\(hardening)".contains("unless this command has shown with it that a wrong code_verifier gets"))
        let comparison = PKCEFindings.comparison(Self.outcome(nil), of: "a")
        #expect("\(comparison)".contains("if this client has a client secret or client_key there"))
        #expect("\(PKCEFindings.correction(to: .off, of: "a"))".contains("This needs a client with a secret"))
    }

    @Test(
        "S256 protects only if a wrong code verifier is refused",
        arguments: [
            (nil, false, .error, "so that PKCE protects nothing"),
            (.verification, false, .error, "so that PKCE protects nothing"),
            (.redemption, true, .ok, "refuses a wrong code_verifier"), (.redemption, false, .ok, "was not tested"),
            (.authorization, true, .ok, "was not tested"), (.ended, false, .ok, "was not tested"),
        ] as [(WalkStop.Step?, Bool, Finding.Severity, String)])
    func comparison(step: WalkStop.Step?, isAboutRequest: Bool, severity: Finding.Severity, text: String) {
        let finding = PKCEFindings.comparison(Self.outcome(step, isAboutRequest: isAboutRequest), of: "a")
        #expect(finding.severity == severity && "\(finding)".contains(text), "\(finding)")
    }

    @Test(
        "A code verifier is refused also with invalid_request, and without a code",
        arguments: [
            (ProviderFailure.refused(status: 400, error: "invalid_request"), true),
            (.refusedWithoutCode(status: 400), true), (.refusedWithoutCode(status: 403), false),
            (.refused(status: 403, error: "invalid_request"), false),
            (.refused(status: 400, error: "invalid_scope"), false),
            (.refusedClient(.credentials), false), (.failed(status: 500), false),
        ])
    func refusedVerifier(failure: ProviderFailure, isRefused: Bool) {
        let stop = ExchangeOrVerification.exchange(failure).stop(of: "a")
        #expect(stop.step == .redemption && stop.isAboutRequest == isRefused)
        let finding = PKCEFindings.comparison(WalkOutcome(findings: [], stop: stop), of: "a")
        #expect("\(finding)".contains("refuses a wrong code_verifier") == isRefused, "\(finding)")
    }

    @Test("The finding on the tokens says that there is no access token")
    func onlyIDToken() {
        #expect(
            SignInFindings.redeemed("with PKCE", withAccessToken: false, of: "a").text
                == "The provider issued an ID token and no usable access token, with PKCE.")
    }

    @Test("An address is requested by a scope of any name, or by the parameter claims")
    func requestsEmail() {
        typealias Email = SignInFindings.Email
        #expect(Email(scopes: ["openid"], parameters: [:]) == .notRequested)
        #expect(Email(scopes: ["openid", "email"], parameters: [:]) == .requested)
        #expect(Email(scopes: ["openid", "user:read:email"], parameters: [:]) == .requested)
        let claims = #"{"id_token":{"email":null}}"#
        #expect(Email(scopes: ["openid"], parameters: ["claims": claims]) == .requested)
    }

    @Test("Without an address, the finding has a remedy, and names the built-in provider with the same issuer")
    func noAddress() {
        let unasked = SignInFindings.withoutEmail(.notRequested, builtIn: nil, "a")
        #expect(unasked.severity == .info && "\(unasked)".contains("names for it: email with OpenID Connect"))
        #expect(ProviderTemplate.withOpenIDConnect(issuer: "https://id.twitch.tv/oauth2") == ProviderID("twitch"))
        #expect(ProviderTemplate.withOpenIDConnect(issuer: "https://idp.example") == nil)
        let asked = SignInFindings.withoutEmail(.requested, builtIn: ProviderID("twitch"), "a")
        #expect(asked.severity == .warning)
        #expect("\(asked)".contains("The built-in provider twitch has this issuer"))
        let listed = SignInFindings.withoutEmail(.listed, builtIn: nil, "a")
        #expect(
            listed.severity == .warning && listed.text == "The list of addresses (emails.url) names no primary address."
        )
        #expect(!"\(listed)".contains("members.email"))
    }

    @Test(
        "A failed call for the profile costs nothing if other answers have the name and the address",
        arguments: [
            (
                true, ProviderFailure.refusedProfile(.user, status: 403),
                "A call for the profile fails: its user endpoint"
            ),
            (true, .unusableMembers("locale (a number)"), "A part of the profile is missing: its answer"),
            (false, .refusedProfile(.user, status: 403), "A part of the profile is missing: its user endpoint"),
        ])
    func refusedProfile(isWhole: Bool, failure: ProviderFailure, text: String) {
        let finding = SignInFindings.refusal(failure, isWhole: isWhole, "a")
        #expect(finding.severity == .warning && finding.text.hasPrefix(text), "\(finding)")
        #expect(
            "\(finding)".contains("with the name and the address that other answers have")
                == (isWhole && failure.isOfCall))
    }

    @Test(
        "An error that the provider reports of itself does not lead to its documentation",
        arguments: [
            (500, "reports an error of its own"), (503, "Try again later"),
            (429, "let it pass the address of this server"), (404, "Compare the address"),
        ])
    func passing(status: Int, remedy: String) {
        let failure = ProviderFailure(OutboundResponse(status: status))
        let finding = SignInFindings.finding("sign_in.user", of: "a", failure)
        #expect("\(finding)".contains(remedy) && "\(finding)".contains("sign_in.calls"), "\(finding)")
    }

    @Test("A member that the configuration reads and the answer does not have is named with its place")
    func members() {
        var mapping = ProfileMapping(subject: "/id", form: .textOrInteger)
        mapping.name = "/name"
        mapping.givenName = "/first_name"
        var profile = Profile()
        profile.name = "Ann"
        let answer: JSON = .object(["name": .string("Ann"), "http://a.example/given": .string("secret"), "4711": .null])
        let findings = SignInFindings.members(of: profile, by: mapping, in: answer, "a")
        #expect(findings.count == 1 && findings.first?.severity == .info)
        #expect(findings.contains { "\($0)".contains("no usable given_name (/first_name)") }, "\(findings)")
        let names = "Members of the answer are http://a.example/given, name."
        #expect(findings.first?.text.hasSuffix(names) == true, "\(findings)")
        profile.givenName = "Ann"
        #expect(SignInFindings.members(of: profile, by: mapping, in: answer, "a").isEmpty)
    }

    @Test("An address that does not count as verified is told only if members names a place for that, with the place")
    func unverifiedAddress() {
        var mapping = ProfileMapping(subject: "/id", form: .textOrInteger)
        var profile = Profile()
        profile.email = "ann@example.com"
        profile.isEmailVerified = false
        let answer: JSON? = nil
        #expect(SignInFindings.members(of: profile, by: mapping, in: answer, "a").isEmpty)
        mapping.emailVerified = "/email_verified"
        let findings = SignInFindings.members(of: profile, by: mapping, in: answer, "a")
        #expect(findings.map(\.id) == ["sign_in.members"] && findings.first?.severity == .info)
        #expect(
            findings.first?.text.contains("the place email_verified (/email_verified) in members") == true,
            "\(findings)")
        profile.isEmailVerified = true
        #expect(SignInFindings.members(of: profile, by: mapping, in: answer, "a").isEmpty)
    }

    @Test(
        "A walk is repeated with the other setting only if that may change its outcome",
        arguments: [
            (nil, false, true), (.verification, false, true), (.authorization, true, true), (.redemption, true, true),
            (.authorization, false, false), (.redemption, false, false), (.request, false, false),
            (.ended, false, false),
        ] as [(WalkStop.Step?, Bool, Bool)])
    func repetition(step: WalkStop.Step?, isAboutRequest: Bool, isRepeated: Bool) {
        #expect(Self.outcome(step, isAboutRequest: isAboutRequest).mayDependOnPKCE == isRepeated)
    }

    @Test("The query of an address is read up to its fragment")
    func parameters() {
        let parameters = RedirectInbox.parameters(of: "https://a.example/callback?code=a%20b&state=c#_=_")
        #expect(parameters?["code"] == "a b")
        #expect(parameters?["state"] == "c")
        #expect(RedirectInbox.parameters(of: "https://a.example/callback") == nil)
        #expect(RedirectInbox.parameters(of: "https://a.example/callback?code=1&code=2") == nil)
        let declined = RedirectInbox.parameters(
            of:
                "https://a.example/callback?error=access_denied&error_description=a%0d%0ab&error_description=%E9&state=c"
        )
        #expect(declined?["error"] == "access_denied" && declined?["state"] == "c")
    }

    @Test("The events come in their order")
    func inbox() async {
        let inbox = RedirectInbox()
        inbox.put(.address("a"))
        inbox.put(.stayed)
        #expect(await inbox.next() == .address("a"))
        #expect(await inbox.next() == .stayed)
    }

    @Test("A listener has the host, port and path of a loopback redirect URI")
    func place() throws {
        let place = try #require(LoopbackListener.Place("http://127.0.0.1:4711/a/b?c"))
        #expect((place.host, place.port, place.path) == ("127.0.0.1", 4711, "/a/b"))
        #expect(LoopbackListener.Place("http://[::1]:4711")?.host == "::1")
        #expect(LoopbackListener.Place("http://localhost:4711")?.path == "/")
    }

    @Test(
        "No listener opens for another redirect URI",
        arguments: [
            "https://127.0.0.1:4711/", "http://127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/",
            "http://a.example:80/", "http://127.0.0.1.a.example:80/", "com.example.app:/callback",
        ])
    func noPlace(redirectURI: String) {
        #expect(LoopbackListener.Place(redirectURI) == nil)
    }

    @Test("A call is recorded with status, error codes and limits, and without its query and long or numbered words")
    func calls() async throws {
        let recorder = CallRecorder()
        let body =
            #"{"errors":[{"code":453}],"error":"abc123","reason":"usage-capped","type":"https://a/b/client-forbidden"}"#
        let transport = recorder.observing(
            HTTPTransport { _ throws(TransportError) in
                OutboundResponse(
                    status: 403,
                    header: [
                        HeaderField("X-Access-Level", "read"), HeaderField("x-rate-limit-limit", "75"),
                        HeaderField("x-app-limit-24hour-limit", "a b"), HeaderField("x-other", "c"),
                    ], body: Array(body.utf8))
            })
        let request = OutboundRequest(.get, "https://api.x.com/2/users/me?token=secret")
        func text(of provider: ProviderID) -> String {
            recorder.finding("sign_in.calls", at: provider, of: provider.text).text
        }
        #expect(text(of: "twitter.com") == "No call was answered.")
        _ = try await transport.send(request.queued(in: CallQueue("twitter.com", "user")))
        #expect(
            text(of: "twitter.com") == "The provider answered: GET https://api.x.com/2/users/me 403 (code 453, "
                + "usage-capped, client-forbidden, x-access-level read, x-rate-limit-limit 75).")
        #expect(text(of: "yahoo.com") == "No call was answered.")
        #expect(recorder.words(at: "twitter.com") == "error: [left out] reason: usage-capped; code: 453")
        #expect(recorder.words(at: "yahoo.com") == nil)
    }

    @Test("Scopes that were not granted are named; a response without scope grants all")
    func scopes() {
        let requested = ["users.read", "users.email"]
        func finding(_ granted: String?) -> String {
            SignInFindings.scopes(granted, requested: requested, of: "a").map { "\($0.severity): \($0.text)" }.joined()
        }
        #expect(
            finding("users.read tweet.read")
                == "warning: The scopes of the response (users.read tweet.read) lack users.email.")
        #expect(finding("users.email,users.read") == "info: Granted scopes: users.email users.read.")
        #expect(finding("users.email users.read") == "info: Granted scopes: users.email users.read.")
        #expect(finding(nil) == "info: The response names no scopes, so that by RFC 6749 section 5.1 all were granted.")
    }
}
