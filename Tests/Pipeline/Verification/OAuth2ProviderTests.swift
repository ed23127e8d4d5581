import Exchange
import Fixtures
import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Providers without OpenID Connect")
struct OAuth2ProviderTests {
    private let proof: Proof
    private var deployment: Deployment { proof.deployment }

    init() throws { proof = try Proof() }

    /// The provider of a template, after a change of its data.
    private func registration(
        _ id: String, _ change: (inout OAuth2Registration) -> Void = { _ in }
    ) throws -> OAuth2Registration {
        guard case .oauth2(var registration)? = ProviderTemplate.named[ProviderID(id)] else {
            throw ProviderFailure.malformedResponse("\(id) is no template of OAuth 2.0")
        }
        registration.oauth2.clientID = "our-client"
        registration.oauth2.clientAuthentication = .clientSecretPost(Secret("our-secret"))
        change(&registration)
        return registration
    }

    private func redeem(
        _ id: String, _ registration: OAuth2Registration, tokens: ScriptedAnswer
    ) async throws -> VerifiedIdentity {
        let provider = registration.provider(ProviderID(id))
        deployment.peer.script(.post, registration.oauth2.tokenEndpoint, tokens)
        let redeemed = try await deployment.exchanger.exchange(
            AuthorizationGrant(code: Secret("code"), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil),
            with: registration.oauth2, of: provider)
        return try await deployment.verifier.completed(
            try await deployment.verifier.verify(redeemed, with: registration.oauth2, of: provider))
    }

    private func post(_ id: String, _ registration: OAuth2Registration) async throws -> VerifiedIdentity {
        try await deployment.verifier.completed(
            try await deployment.verifier.verify(
                AccessToken("posted-token"), nonce: proof.nonceRecord(1), with: registration.oauth2,
                of: registration.provider(ProviderID(id))))
    }

    /// What a provider documents as the answer of its user endpoint, and the identity that it stands for.
    struct Answer: Sendable, CustomTestStringConvertible {
        let id: String
        let body: String
        let subject: String
        var name: String?
        var email: String?
        var isVerified: Bool?
        var picture: String?
        var testDescription: String { id }
    }

    static let answers = [
        Answer(
            id: "github.com",
            body:
                #"{"login":"octocat","id":583231,"avatar_url":"https://a.example/1","name":"The Octocat","email":null}"#,
            subject: "583231", name: "The Octocat", email: "octo@example.org", isVerified: true,
            picture: "https://a.example/1"),
        Answer(
            id: "facebook.com",
            body: #"""
                {"id":"10223456789012345","name":"Ann Example","email":"a@b.example",
                "picture":{"data":{"height":50,"is_silhouette":false,"url":"https://p.example/1"}}}
                """#,
            subject: "10223456789012345", name: "Ann Example", email: "a@b.example", isVerified: false,
            picture: "https://p.example/1"),
        Answer(
            id: "line",
            body: #"{"sub":"U1234567890abcdef1234567890abcdef","name":"Ann","picture":"https://p.example/1"}"#,
            subject: "U1234567890abcdef1234567890abcdef", name: "Ann", picture: "https://p.example/1"),
        Answer(
            id: "linkedin",
            body: #"""
                {"sub":"782bbtaQ","name":"Ann Example","locale":{"country":"US","language":"en"},"email":"a@b.example",
                "email_verified":true,"picture":"https://p.example/1"}
                """#,
            subject: "782bbtaQ", name: "Ann Example", email: "a@b.example", isVerified: true,
            picture: "https://p.example/1"),
        Answer(
            id: "discord",
            body: #"""
                {"id":"80351110224678912","username":"nelly","global_name":"Nelly","verified":true,"email":"a@b.example",
                "avatar":"8342729096ea3675442027381ff50dfe"}
                """#,
            subject: "80351110224678912", name: "Nelly", email: "a@b.example", isVerified: true,
            picture: "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png"),
        Answer(
            id: "spotify",
            body: #"""
                {"account_id":"aB3dE5fG7h","id":"smedjan","display_name":"Ann","email":"a@b.example",
                "images":[{"url":"https://p.example/1","height":300,"width":300}]}
                """#,
            subject: "aB3dE5fG7h", name: "Ann", email: "a@b.example", isVerified: false, picture: "https://p.example/1"),
        Answer(
            id: "naver",
            body: #"""
                {"resultcode":"00","message":"success","response":{"id":"32742776","nickname":"Ann","name":"Ann Example",
                "email":"a@b.example","profile_image":"https://p.example/1"}}
                """#,
            subject: "32742776", name: "Ann Example", email: "a@b.example", isVerified: false,
            picture: "https://p.example/1"),
    ]

    private func script(_ answer: Answer, _ registration: OAuth2Registration) {
        deployment.peer.script(.get, registration.oauth2.user.url.withoutQuery, .json(answer.body))
        guard let emails = registration.oauth2.emails else { return }
        deployment.peer.script(
            .get, emails.url,
            .json(
                #"""
                [{"email":"other@example.org","primary":false,"verified":true},
                {"email":"octo@example.org","primary":true,"verified":true,"visibility":"private"}]
                """#))
    }

    private static let tokens = ScriptedAnswer.json(
        #"{"access_token":"at","token_type":"bearer","scope":"a,b","expires_in":3600}"#)

    @Test("Every template has a documented answer here")
    func allTemplates() {
        let ids = ProviderTemplate.named.filter { if case .oauth2 = $0.value { true } else { false } }.map(\.key.text)
        #expect(Set(ids) == Set(Self.answers.map(\.id)))
    }

    @Test("The documented answer of each user endpoint becomes an identity", arguments: answers)
    func documented(_ answer: Answer) async throws {
        let registration = try registration(answer.id)
        script(answer, registration)
        let identity = try await redeem(answer.id, registration, tokens: Self.tokens)
        #expect(identity.subject.text == answer.subject && identity.audienceProof == .authorizationCode)
        #expect(identity.profile.name == answer.name && identity.profile.picture == answer.picture)
        #expect(identity.profile.email == answer.email && identity.profile.isEmailVerified == answer.isVerified)
        let request = try #require(
            deployment.peer.requests(to: registration.oauth2.user.url.withoutQuery).first)
        #expect(request[field: "Authorization"] == "Bearer at")
    }

    @Test("A name in Latin-1 is left out, and the person signs in")
    func latin1() async throws {
        let registration = try registration("github.com")
        let body = Array(#"{"id":42,"login":"jose","name":"Jos"#.utf8) + [0xE9] + Array(#""}"#.utf8)
        deployment.peer.script(.get, registration.oauth2.user.url, .bytes(body))
        deployment.peer.script(.get, "https://api.github.com/user/emails", .json("[]"))
        let identity = try await redeem("github.com", registration, tokens: Self.tokens)
        #expect(identity.subject.text == "42" && identity.profile.name == nil && identity.profile.screenName == "jose")
    }

    @Test(
        "A subject is a text other than 0, or an integer from 1 to 2^53 - 1",
        arguments: [
            ("42", "42"), (#""42""#, "42"), ("9007199254740991", "9007199254740991"), (#""042""#, "042"),
        ])
    func subjects(_ written: String, _ subject: String) async throws {
        let registration = try registration("github.com")
        deployment.peer.script(.get, registration.oauth2.user.url, .json(#"{"id":\#(written)}"#))
        deployment.peer.script(.get, "https://api.github.com/user/emails", .json("[]"))
        #expect(try await redeem("github.com", registration, tokens: Self.tokens).subject.text == subject)
    }

    @Test(
        "Every other value is no subject, and the code stays spent",
        arguments: [
            "0", "9007199254740992", "9007199254740993", "1e3", "42.0", "-1", "true", "null", "[42]", #"{"id":42}"#,
            #""""#, #"" ""#,
            #""a\u0000b""#, #"99999999999999999999"#, #""0""#,
        ])
    func notASubject(_ written: String) async throws {
        let registration = try registration("github.com")
        deployment.peer.script(.get, registration.oauth2.user.url, .json(#"{"id":\#(written)}"#))
        await expectRefusal(Reason.providerResponseInvalid) {
            try await redeem("github.com", registration, tokens: Self.tokens)
        }
        #expect(deployment.store.spentKinds == [.authorizationCode])
    }

    @Test(
        "The log says what is at the place of the user's id, and never a value",
        arguments: [
            (#"{"id":{"n":42},"login":"ann"}"#, "the user's id at /id is an object, and must be"),
            (#"{"id":[42]}"#, "the user's id at /id is a list, and must be"),
            (#"{"id":true}"#, "the user's id at /id is true or false, and must be"),
            (#"{"id":9007199254740992}"#, "the user's id at /id is a number out of range, and must be"),
            (
                #"{"id":117909847557586478307}"#,
                "the user's id at /id is two members of that name, a number out of range, or a text that cannot be read, and must be"
            ),
            (#"{"id":""}"#, "the user's id at /id is an empty text, and must be a text of at most 255 octets other"),
            (#"{"id":" "}"#, "the user's id at /id is a text of spaces, and must be"),
            (
                #"{"id":"\#(String(repeating: "i", count: 256))"}"#,
                "the user's id at /id is a text of 256 octets, and must be a text of at most 255 octets"
            ),
            (
                #"{"uid":"42","login":"ann","mail@b.example":"x"}"#,
                "its answer has nothing at /id, where the user's id should be; its members are login, uid"
            ),
            (
                "{}",
                "its answer has nothing at /id, where the user's id should be; the answer has no members, or all of them are null"
            ),
            (
                #"{"data":{"user":{}},"error":{"code":"ok","message":""}}"#,
                "its answer has nothing at /id, where the user's id should be; its members are data, error"
            ),
            (#"[]"#, "the answer of its user endpoint is no JSON object: it is a list"),
            (
                #"<?xml version="1.0"?><osm version="0.6"><user id="1" display_name="ann"/></osm>"#,
                "the answer of its user endpoint is no JSON object: it is XML"
            ),
            ("eyJhbGciOiJSUzI1NiJ9.eyJpZCI6MX0.c2ln", "the answer of its user endpoint is no JSON object: it is a JWT"),
        ])
    func noUserID(_ body: String, _ sentence: String) async throws {
        let registration = try registration("github.com")
        deployment.peer.script(.get, registration.oauth2.user.url, .json(body))
        let refusal = await #expect(throws: Refusal.self) {
            try await redeem("github.com", registration, tokens: Self.tokens)
        }
        #expect(refusal?.finding?.hasPrefix(sentence) == true, "\(refusal?.finding ?? "")")
        #expect(refusal?.finding?.replacing("cannot", with: "").contains("ann") == false)
    }

    @Test("The advice on an answer without a user's id names members.sub only for a section that can have it")
    func adviceWithoutID() {
        let advice = ProviderFailure.noUserID("the user's id is missing").advice ?? ""
        #expect(advice.hasPrefix("If the section is not twitter.com, and the provider's documentation has the user's"))
        #expect(advice.hasSuffix("compare endpoints.userinfo (endpoints.api at twitter.com) with it."))
    }

    @Test(
        "A user endpoint that refuses the token, is absent, or is hidden by a page, is told apart",
        arguments: [
            (
                401, #"{"resultcode":"024","message":"Authentication failed"}"#,
                ProviderFailure.refusedProfile(.user, status: 401, says: "message: Authentication failed")
            ),
            // VK, WeChat and Bitly send their errors with the status of success.
            (
                200, #"{"error":{"error_code":5,"error_msg":"User authorization failed"}}"#,
                .refusedProfile(.user, status: 200, says: "error_code: 5; error_msg: User authorization failed")
            ),
            (
                200, #"{"errcode":41009,"errmsg":"missing openid"}"#,
                .refusedProfile(.user, status: 200, says: "errcode: 41009; errmsg: missing openid")
            ),
            (
                200, #"{"status_code":500,"data":null,"status_txt":"MISSING_ARG_ACCESS_TOKEN"}"#,
                .refusedProfile(
                    .user, status: 200, says: "status_code: 500; status_txt: MISSING_ARG_ACCESS_TOKEN")
            ),
            (
                200, #"{"code":40001,"msg":"invalid app","data":null}"#,
                .refusedProfile(.user, status: 200, says: "code: 40001; msg: invalid app")
            ),
            (
                200, #"{"fault":{"faultstring":"Invalid ApiKey"}}"#,
                .refusedProfile(.user, status: 200, says: "faultstring: Invalid ApiKey")
            ),
            (
                200, #"{"data":{"error_code":10008,"description":"access_token expired"},"message":"error"}"#,
                .refusedProfile(
                    .user, status: 200, says: "message: error; error_code: 10008; description: access_token expired")
            ),
            (
                200, #"{"success":false,"message":"token expired"}"#,
                .refusedProfile(.user, status: 200, says: "message: token expired")
            ),
            (
                200, #"{"data":{"viewer":null},"errors":[{"message":"Not authorized"}]}"#,
                .refusedProfile(.user, status: 200, says: "message: Not authorized")
            ),
            (
                401,
                #"{"message":"Authorization Error","errors":[{"resource":"Athlete","field":"token","code":"invalid"}]}"#,
                .refusedProfile(
                    .user, status: 401,
                    says: "message: Authorization Error; code: invalid; resource: Athlete; field: token")
            ),
            (400, "{}", .refusedProfile(.user, status: 400)), (404, "{}", .refusedProfile(.user, status: 404)),
            (403, "{}", .refusedProfile(.user, status: 403)),
            (
                403, #"{"message":"Invalid OAuth2 access token","code":50025}"#,
                .refusedProfile(.user, status: 403, says: "code: 50025; message: Invalid OAuth2 access token")
            ),
            (403, "<!DOCTYPE html><title>Just a moment...</title>", .pageInPlaceOfProfile(.user, status: 403)),
            (503, "", .unavailable(retryAfter: nil)),
        ])
    func refusedUser(_ status: Int, _ body: String, _ failure: ProviderFailure) async throws {
        let registration = try registration("naver")
        deployment.peer.script(.get, registration.oauth2.user.url, .json(body, status: status))
        // What a provider says in common with the token is left out, so that the token must have no word of it.
        let tokens = ScriptedAnswer.json(#"{"access_token":"6f1d2c8e90","token_type":"bearer"}"#)
        await expectRefusal(failure.refusal.spent) { try await redeem("naver", registration, tokens: tokens) }
    }

    @Test("The operator reads a line of text by which a user endpoint refuses the person, beside the advice")
    func refusedInText() async throws {
        let registration = try registration("naver")
        let body = "User not registered in the Developer Dashboard"
        deployment.peer.script(.get, registration.oauth2.user.url, .body(body, type: "text/plain", status: 403))
        let tokens = ScriptedAnswer.json(#"{"access_token":"6f1d2c8e90","token_type":"bearer"}"#)
        let failure = ProviderFailure.refusedProfile(.user, status: 403, says: "message: " + body)
        await expectRefusal(failure.refusal.spent) { try await redeem("naver", registration, tokens: tokens) }
    }

    @Test("Only the primary address counts, and only with its own mark")
    func addresses() async throws {
        let registration = try registration("github.com")
        let cases: [(String, String?, Bool?)] = [
            (#"[{"email":"a@b.example","primary":true,"verified":false}]"#, "a@b.example", false),
            (#"[{"email":"a@b.example","primary":false,"verified":true}]"#, nil, nil),
            (#"[{"email":"a@b.example","primary":"true","verified":true}]"#, nil, nil),
            (#"[{"email":"a@b.example","primary":true,"verified":"true"}]"#, "a@b.example", false),
            (#"[{"email":["a@b.example"],"primary":true,"verified":true}]"#, nil, nil),
            ("[]", nil, nil),
        ]
        for (index, (list, email, isVerified)) in cases.enumerated() {
            let deployment = try Proof().deployment
            deployment.peer.script(.get, registration.oauth2.user.url, .json(#"{"id":1,"email":"public@b.example"}"#))
            deployment.peer.script(.get, "https://api.github.com/user/emails", .json(list))
            deployment.peer.script(.post, registration.oauth2.tokenEndpoint, Self.tokens)
            let provider = registration.provider(ProviderID("github.com"))
            let tokens = try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("c"), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil),
                with: registration.oauth2, of: provider)
            let identity = try await deployment.verifier.completed(
                try await deployment.verifier.verify(tokens, with: registration.oauth2, of: provider))
            #expect(identity.profile.email == email && identity.profile.isEmailVerified == isVerified, "\(index)")
        }
    }

    @Test("A provider that refuses the list of addresses signs in without one, and the operator is told")
    func refusedAddresses() async throws {
        let registration = try registration("github.com")
        deployment.peer.script(.get, registration.oauth2.user.url, .json(#"{"id":1}"#))
        deployment.peer.script(.get, "https://api.github.com/user/emails", .status(404))
        let identity = try await redeem("github.com", registration, tokens: Self.tokens)
        #expect(identity.subject.text == "1" && identity.profile.email == nil)
        #expect(identity.profileRefusal == .refusedProfile(.emails, status: 404))
    }

    @Test(
        "An answer in place of the list of addresses is told to the operator, with its members and the keys to write",
        arguments: [
            (#"{"message":"no list"}"#, "its members are message"),
            ("{}", "the answer has no members, or all of them are null"),
        ])
    func noList(_ answer: String, _ found: String) async throws {
        let registration = try registration("github.com")
        deployment.peer.script(.get, registration.oauth2.user.url, .json(#"{"id":1}"#))
        deployment.peer.script(.get, "https://api.github.com/user/emails", .json(answer))
        let identity = try await redeem("github.com", registration, tokens: Self.tokens)
        #expect(identity.profile.email == nil)
        #expect(
            identity.profileRefusal?.sentence
                == "the list of emails.list is missing in its answer, or has the wrong form: \(found)")
        #expect(
            identity.profileRefusal?.advice?.hasPrefix("Write the place of the list as emails.list, and those") == true)
    }

    @Test(
        "A place that no address of the list has is told to the operator",
        arguments: [
            (#"[{"value":"a@b.example","primary":true}]"#, "emails.email", "primary, value"),
            (#"[{"email":"a@b.example","is_primary":true}]"#, "emails.primary", "email, is_primary"),
        ])
    func noPlace(_ list: String, _ key: String, _ members: String) async throws {
        let registration = try registration("github.com")
        deployment.peer.script(.get, registration.oauth2.user.url, .json(#"{"id":1}"#))
        deployment.peer.script(.get, "https://api.github.com/user/emails", .json(list))
        let identity = try await redeem("github.com", registration, tokens: Self.tokens)
        #expect(
            identity.profileRefusal?.sentence
                == "\(key) of every address is missing in its answer, or has the wrong form: the members of the first element "
                + "are \(members)")
        #expect(identity.profile.email == nil && identity.profileRefusal?.advice?.contains(key) == true)
    }

    // MARK: - Answers of token endpoints

    @Test(
        "A token endpoint may answer with a form in place of JSON",
        arguments: ["access_token=at&expires=86400", "access_token=at&scope=a%2Cb&token_type=bearer\n"])
    func form(_ body: String) async throws {
        let registration = try registration("spotify")
        try scriptUser("spotify", registration)
        let identity = try await redeem("spotify", registration, tokens: .json(body))
        let request = try #require(deployment.peer.requests(to: registration.oauth2.user.url.withoutQuery).first)
        #expect(request[field: "Authorization"] == "Bearer at" && identity.audienceProof == .authorizationCode)
    }

    @Test("An error in a form is read as well, and another text is none", arguments: [200, 400])
    func formWithError(_ status: Int) async throws {
        let registration = try registration("github.com")
        for (body, refusal) in [
            ("error=bad_verification_code&error_description=x", Refusal.codeRejected),
            ("error=incorrect_client_credentials", ProviderFailure.refusedClient(.credentials).refusal),
        ] {
            let proof = try Proof()
            proof.deployment.peer.script(.post, registration.oauth2.tokenEndpoint, .json(body, status: status))
            await expectRefusal(refusal.spent) {
                _ = try await proof.deployment.exchanger.exchange(
                    AuthorizationGrant(code: Secret("c"), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil),
                    with: registration.oauth2, of: registration.provider(ProviderID("github.com")))
            }
        }
    }

    @Test(
        "Strava names the parameter at fault",
        arguments: [
            (400, "AuthorizationCode", "code", Refusal.codeRejected),
            (400, "RefreshToken", "refresh_token", Refusal.codeRejected),
            (400, "Application", "client_id", ProviderFailure.refusedClient(.credentials).refusal),
            (400, "AuthorizationCode", "redirect_uri", ProviderFailure.refusedClient(.callbackNotApproved).refusal),
            (401, "Application", "", ProviderFailure.refusedClient(.credentials).refusal),
            (400, "Application", "", ProviderFailure.refusedWithoutCode(status: 400).refusal),
        ])
    func namedParameter(_ status: Int, _ resource: String, _ field: String, _ refusal: Refusal) async throws {
        let registration = try registration("spotify")
        let error = #"{"resource":"\#(resource)","field":"\#(field)","code":"invalid"}"#
        let body = #"{"message":"Bad Request","errors":[\#(error)]}"#
        await expectRefusal(refusal.spent) {
            try await redeem("spotify", registration, tokens: .json(body, status: status))
        }
    }

    @Test(
        "A provider's own words for a wrong code are code_rejected, and those for the credentials are not",
        arguments: [
            ("github.com", 200, #"{"error":"bad_verification_code","error_description":"x"}"#, true),
            ("github.com", 200, #"{"error":"incorrect_client_credentials"}"#, false),
            ("facebook.com", 400, #"{"error":{"message":"x","type":"OAuthException","code":100}}"#, true),
            ("facebook.com", 400, #"{"error":{"message":"x","type":"OAuthException","code":1}}"#, false),
            ("naver", 200, #"{"error":"invalid_grant","error_description":"x"}"#, true),
            ("line", 400, #"{"error":"invalid_grant","error_description":"x"}"#, true),
        ])
    func tokenErrors(_ id: String, _ status: Int, _ body: String, _ isCode: Bool) async throws {
        let registration = try registration(id)
        let expected = isCode ? Refusal.codeRejected : ProviderFailure.refusedClient(.credentials).refusal
        await expectRefusal(expected.spent) {
            try await redeem(id, registration, tokens: .json(body, status: status))
        }
    }

    // MARK: - Access tokens from applications

    /// An endpoint that names the application of a token, and its documented answer.
    struct Introspection: Sendable, CustomTestStringConvertible {
        let id: String
        let method: OutboundRequest.Method
        let url: String
        let body: String
        /// The member that names the application, as the answer of another application has it.
        let ours: String
        let theirs: String
        var testDescription: String { id }
    }

    static let introspections = [
        Introspection(
            id: "github.com", method: .post, url: "https://api.github.com/applications/our-client/token",
            body: #"{"id":1,"scopes":[],"app":{"client_id":"our-client"},"user":{"login":"octocat","id":583231}}"#,
            ours: #""our-client""#, theirs: #""their-client""#),
        Introspection(
            id: "facebook.com", method: .get, url: "https://graph.facebook.com/v25.0/debug_token",
            body: #"""
                {"data":{"app_id":"our-client","type":"USER","is_valid":true,"expires_at":0,
                "user_id":"10223456789012345"}}
                """#, ours: #""our-client""#, theirs: #""their-client""#),
        Introspection(
            id: "line", method: .get, url: "https://api.line.me/oauth2/v2.1/verify",
            body: #"{"scope":"profile","client_id":"our-client","expires_in":2591659}"#, ours: #""our-client""#,
            theirs: #""their-client""#),
        Introspection(
            id: "linkedin", method: .post, url: "https://www.linkedin.com/oauth/v2/introspectToken",
            body: #"{"active":true,"client_id":"our-client","status":"active","expires_at":4102444800}"#,
            ours: #""our-client""#, theirs: #""their-client""#),
        Introspection(
            id: "discord", method: .get, url: "https://discord.com/api/v10/oauth2/@me",
            body: #"{"application":{"id":"our-client"},"scopes":["identify"],"user":{"id":"80351110224678912"}}"#,
            ours: #""our-client""#, theirs: #""their-client""#),
    ]

    private func scriptUser(_ id: String, _ registration: OAuth2Registration) throws {
        script(try #require(Self.answers.first { $0.id == id }), registration)
    }

    @Test("A posted access token is accepted if the provider names this deployment's client", arguments: introspections)
    func posted(_ introspection: Introspection) async throws {
        let registration = try registration(introspection.id)
        try scriptUser(introspection.id, registration)
        deployment.peer.script(introspection.method, introspection.url, .json(introspection.body))
        let identity = try await post(introspection.id, registration)
        #expect(identity.audienceProof == .introspection)
        #expect(identity.subject.text == Self.answers.first { $0.id == introspection.id }?.subject)
        let request = try #require(deployment.peer.requests(to: introspection.url).first)
        let sent = request.url + String(decoding: request.body, as: UTF8.self) + (request[field: "Authorization"] ?? "")
        #expect(sent.contains("posted-token"))
    }

    @Test("A token of another application is refused, and the user endpoint is not called", arguments: introspections)
    func otherApplication(_ introspection: Introspection) async throws {
        let registration = try registration(introspection.id)
        try scriptUser(introspection.id, registration)
        let body = introspection.body.replacing(introspection.ours, with: introspection.theirs)
        deployment.peer.script(introspection.method, introspection.url, .json(body))
        await expectRefusal(Reason.audienceMismatch) { try await post(introspection.id, registration) }
        #expect(deployment.peer.requests(to: registration.oauth2.user.url.withoutQuery).isEmpty)
    }

    @Test("A user endpoint that answers about another person than the introspection is refused")
    func otherPerson() async throws {
        let registration = try registration("github.com")
        deployment.peer.script(
            .post, "https://api.github.com/applications/our-client/token",
            .json(#"{"app":{"client_id":"our-client"},"user":{"id":583232}}"#))
        try scriptUser("github.com", registration)
        // The application chose the token, so that no operator is told.
        await expectRefusal(Refusal.tokenRejected("the user endpoint and the introspection name different users")) {
            try await post("github.com", registration)
        }
    }

    @Test("An introspection without the user is not told as one of another person")
    func noPerson() async throws {
        let registration = try registration("github.com")
        deployment.peer.script(
            .post, "https://api.github.com/applications/our-client/token",
            .json(#"{"app":{"client_id":"our-client"},"user":{"login":"ann"}}"#))
        try scriptUser("github.com", registration)
        let finding =
            "the introspection names no user: its answer has nothing at /user/id, where the user's id should be; its members are "
            + "app, user"
        await expectRefusal(Refusal.tokenRejected(finding)) { try await post("github.com", registration) }
    }

    @Test(
        "An endpoint's refusal of the token is told from its refusal of this server",
        arguments: [
            ("github.com", 404, true), ("github.com", 422, true), ("github.com", 401, false), ("line", 400, true),
            ("discord", 401, true),
        ])
    func statuses(_ id: String, _ status: Int, _ concernsToken: Bool) async throws {
        let registration = try registration(id)
        let introspection = try #require(Self.introspections.first { $0.id == id })
        deployment.peer.script(
            introspection.method, introspection.url, .json(#"{"message":"access token expired"}"#, status: status))
        let refusal = await #expect(throws: (any Error).self) { try await post(id, registration) }.map(Refusal.init)
        guard concernsToken else {
            #expect(refusal == ProviderFailure.refusedClient(.introspection).refusal)
            return
        }
        #expect(refusal == .tokenRejected("the introspection refuses the token (status \(status))"))
        #expect(refusal?.words == "message: access token expired")
    }

    @Test("A token that is not valid, or has expired, is refused")
    func invalid() async throws {
        let registration = try registration("facebook.com")
        let url = "https://graph.facebook.com/v25.0/debug_token"
        for valid in ["false", #""true""#, "1"] {
            let deployment = try Proof().deployment
            deployment.peer.script(
                .get, url,
                .json(#"{"data":{"app_id":"our-client","is_valid":\#(valid),"user_id":"1"}}"#))
            await expectRefusal(Refusal.notActive("/data/is_valid")) {
                try await deployment.verifier.verify(
                    AccessToken("posted-token"), nonce: proof.nonceRecord(1), with: registration.oauth2,
                    of: registration.provider(ProviderID("facebook.com")))
            }
        }
    }

    @Test("A provider without such an endpoint proves no audience")
    func unverifiable() async throws {
        let registration = try registration("spotify")
        await expectRefusal(Refusal.audienceUnverifiable) { try await post("spotify", registration) }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("The client id of another number, and an application id of its own, are compared as texts")
    func applicationID() async throws {
        for (applicationID, body, isOurs) in [
            ("1234", #"{"application":{"id":1234},"user":{"id":"80351110224678912"}}"#, true),
            ("1234", #"{"application":{"id":12345},"user":{"id":"80351110224678912"}}"#, false),
            ("1234", #"{"application":{"id":"our-client"},"user":{"id":"80351110224678912"}}"#, false),
        ] {
            let deployment = try Proof().deployment
            let registration = try registration("discord") { $0.oauth2.introspection?.applicationID = applicationID }
            deployment.peer.script(.get, "https://discord.com/api/v10/oauth2/@me", .json(body))
            deployment.peer.script(.get, registration.oauth2.user.url, .json(#"{"id":"80351110224678912"}"#))
            let verify = {
                try await deployment.verifier.verify(
                    AccessToken("posted-token"), nonce: proof.nonceRecord(1), with: registration.oauth2,
                    of: registration.provider(ProviderID("discord")))
            }
            if isOurs {
                #expect(try await verify().subject.text == "80351110224678912")
            } else {
                await expectRefusal(Reason.audienceMismatch) { try await verify() }
            }
        }
    }
}

extension String {
    fileprivate var withoutQuery: String { String(prefix { $0 != "?" }) }
}
