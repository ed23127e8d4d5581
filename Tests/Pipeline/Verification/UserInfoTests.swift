import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Userinfo")
struct UserInfoTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
    }

    private func verify() async throws -> VerifiedIdentity {
        try await proof.verify(proof.token.vouching(for: Yahoo.accessToken), accessToken: Yahoo.accessToken)
    }

    private func script(_ answer: ScriptedAnswer) {
        proof.deployment.peer.script(.get, Yahoo.userInfo, answer)
    }

    @Test("An access token whose hash is in the ID token completes the profile")
    func baseline() async throws {
        proof.deployment.scriptUserInfo(Yahoo.userInfo, subject: Yahoo.subject)
        let identity = try await verify()
        #expect(identity.subject.text == Yahoo.subject)
        #expect(identity.profile.name == "Ann Example")
        #expect(identity.profile.picture == "https://img.example/p.png")
        #expect(identity.profile.screenName == "ann")
        #expect(identity.tokens.accessToken?.secretText == Yahoo.accessToken)
        let request = try #require(proof.deployment.peer.requests(to: Yahoo.userInfo).first)
        #expect(request[field: "Authorization"] == "Bearer " + Yahoo.accessToken)
        #expect(request.url == Yahoo.userInfo)
    }

    @Test("Without an access token no call is made")
    func noAccessToken() async throws {
        _ = try await proof.verify(proof.token)
        #expect(proof.deployment.peer.requests(to: Yahoo.userInfo).isEmpty)
    }

    @Test(
        "A provider that issues no access token is told of, if the ID token lacks the address that was asked for",
        arguments: [(nil, .noAccessToken), ("ann@example.org", nil)] as [(String?, ProviderFailure?)])
    func onlyIDToken(_ email: String?, _ failure: ProviderFailure?) async throws {
        let token = try proof.token.setting("email", to: email.map { JSON.string($0) }).compact()
        proof.deployment.peer.script(.post, Yahoo.token, .json(#"{"token_type":"Bearer","id_token":"\#(token)"}"#))
        let identity = try await proof.redeemAsScripted()
        #expect(identity.subject.text == Yahoo.subject && identity.profile.email == email)
        #expect(identity.profileRefusal == failure && identity.isProfileWhole)
        #expect(proof.deployment.peer.requests(to: Yahoo.userInfo).isEmpty)
    }

    @Test("IDT-37: An access token of another ID token is refused and not used")
    func otherAccessToken() async throws {
        await expectRefusal(JOSEError.accessTokenHashMismatch.refusal) {
            try await proof.verify(proof.token.vouching(for: "another"), accessToken: Yahoo.accessToken)
        }
        #expect(proof.deployment.peer.requests(to: Yahoo.userInfo).isEmpty)
        #expect(proof.deployment.store.calls.isEmpty)
    }

    @Test(
        "IDT-38: An access token without a verifiable hash in the ID token is refused",
        arguments: [
            (nil, .missingClaim("at_hash")), (#""""#, .malformedClaim("at_hash")),
            ("null", .missingClaim("at_hash")), ("1", .malformedClaim("at_hash")),
            (#""x","at_hash":"x""#, .malformedClaim("at_hash")),
            (#""AAAAAAAAAAAAAAAAAAAAAA""#, .accessTokenHashMismatch),
            // The left half of a SHA-512.
            ("\"" + String(repeating: "A", count: 43) + "\"", .malformedClaim("at_hash")),
        ] as [(String?, JOSEError)])
    func uncheckedAccessToken(_ hash: String?, _ error: JOSEError) async throws {
        await expectRefusal(error.refusal.spent) {
            try await proof.verify(proof.token.setting("at_hash", toText: hash), accessToken: Yahoo.accessToken)
        }
        #expect(proof.deployment.store.calls.isEmpty)
    }

    @Test(
        "EX-15: A response about another person is refused",
        arguments: [
            #"{"sub":"another","name":"Victim"}"#, #"{"sub":""}"#, #"{"sub":"uqidwjnwvnqd4gxz5ngmzustq4"}"#,
            #"{"sub":"UQIDWJNWVNQD4GXZ5NGMZUSTQ4 "}"#,
        ])
    func otherSubject(_ body: String) async throws {
        script(.json(body))
        await expectRefusal(ProviderFailure.otherPersonInUserInfo.refusal) {
            try await verify()
        }
    }

    @Test("EX-15: A subject that differs only in its normalization is another person")
    func otherNormalization() async throws {
        proof.deployment.scriptUserInfo(Yahoo.userInfo, subject: "e\u{301}")
        await expectRefusal(ProviderFailure.otherPersonInUserInfo.refusal) {
            try await proof.verify(
                proof.token.setting("sub", to: .string("\u{E9}")).vouching(for: Yahoo.accessToken),
                accessToken: Yahoo.accessToken)
        }
    }

    private static let twoSubjects = "it is \(unreadable)"
    private static let unreadable = "two members of that name, a number out of range, or a text that cannot be read"

    @Test("A member of userinfo that stands there twice is left out and named, and the others are used")
    func duplicateMembers() async throws {
        script(
            .json(
                #"{"sub":"UQIDWJNWVNQD4GXZ5NGMZUSTQ4","preferred_username":"ann","address":{"locality":"X"},"#
                    + #""address":{"locality":"X"},"picture":"p","picture":"p"}"#))
        let identity = try await verify()
        #expect(identity.profile.screenName == "ann" && identity.profile.picture == nil)
        #expect(
            identity.profileRefusal
                == .unusableMembers("picture (\(Self.unreadable))"))
    }

    @Test(
        "Parts of a profile that are present and unusable are named",
        arguments: [
            (#""email":["a@b.example","c@d.example"],"email_verified":true"#, .claim, "email (a list)"),
            (#""email":"a@b.example","email_verified":1"#, .claim, "email_verified (a number)"),
            (#""email":"a@b.example","email_verified":"True""#, .claim, "email_verified (neither true nor false)"),
            (#""email":"a@b.example","email_verified":"True""#, .claimText, "email_verified (neither true nor false)"),
            (#""email":"a@b.example","email_verified":"true""#, .claim, "email_verified (a text)"),
            (#""email":"a@b.example","email_verified":"true""#, .claimText, nil),
            (#""email":"a@b.example","email_verified":"True""#, .always, nil),
            (#""email":"a@b.example","email_verified":"True""#, .never, nil),
            (#""email":"a@b.example","email_verified":false"#, .claim, nil),
            (#""email":"","email_verified":1"#, .claim, nil),
            (#""name":42,"locale":{"language":"en"}"#, .claim, "name (a number), locale (an object)"),
            (#""name":"","picture":null"#, .claim, nil),
            // The pictures of authentik and of Nextcloud, and a relative path.
            (#""picture":"data:image/svg+xml;base64,PHN2Zz4=""#, .claim, "picture (no URL with http or https)"),
            (#""picture":"javascript:alert(1)""#, .claim, "picture (no URL with http or https)"),
            (
                #""picture":"data:image/png;base64,\#(String(repeating: "A", count: 61_440))""#, .claim,
                "picture (a text with control characters, or of more than 2048 octets)"
            ),
            (#""picture":"/avatars/42""#, .claim, nil), (#""picture":"HTTPS://img.example/p""#, .claim, nil),
        ] as [(String, EmailTrust, String?)])
    func unusableParts(_ members: String, _ trust: EmailTrust, _ parts: String?) throws {
        let answer = try JSON.parse(tolerantly: Array(#"{"sub":"u",\#(members)}"#.utf8))
        #expect(
            ProfileMapping.openIDConnect.unusableParts(in: answer, trusting: trust)
                == parts.map(ProviderFailure.unusableMembers))
    }

    @Test(
        "Real-world 13: a response that names no person, or cannot be read, is left out, and the ID token stands",
        arguments: [
            (
                .json(#"{"id":"42","username":"ana","name":"Other","picture":"p"}"#),
                "its members are id, name, picture, username"
            ),
            (
                .json(#"{"userinfo_token":"eyJhbGciOiJub25lIn0"}"#),
                "its members are userinfo_token"
            ),
            (.json(#"{"sub":null,"picture":"p"}"#), "its members are picture"),
            (.json("{}"), "the answer has no members, or all of them are null"),
            (.json(#"{"sub":null}"#), "the answer has no members, or all of them are null"),
            (.json(#"{"https://a.example/b":"p"}"#), nil),
            (.json(#"{"sub":42,"picture":"p"}"#), "it is a number"),
            (.json(#"{"sub":["UQIDWJNWVNQD4GXZ5NGMZUSTQ4"],"picture":"p"}"#), "it is a list"),
            (.json(#"{"sub":"a\u0000","picture":"p"}"#), twoSubjects),
            (.json(#"{"sub":117909847557586478307,"picture":"p"}"#), twoSubjects),
            (.json(#"{"sub":"UQIDWJNWVNQD4GXZ5NGMZUSTQ4","sub":"victim"}"#), twoSubjects),
            (
                .json(#"{"sub":"UQIDWJNWVNQD4GXZ5NGMZUSTQ4","sub":"UQIDWJNWVNQD4GXZ5NGMZUSTQ4","picture":"p"}"#),
                twoSubjects
            ),
        ] as [(ScriptedAnswer, String?)])
    func unusable(_ answer: ScriptedAnswer, _ found: String?) async throws {
        script(answer)
        let identity = try await verify()
        #expect(identity.subject.text == Yahoo.subject && identity.profile.name == "Ann Example")
        #expect(identity.profile.picture == nil && identity.isProfileWhole)
        let refusal = try #require(identity.profileRefusal)
        #expect(refusal.sentence == ProviderFailure.malformedResponse("sub of userinfo", found: found).sentence)
        #expect(refusal.advice?.contains("demands sub as a text") == true)
    }

    @Test(
        "A response that is no JSON object is left out, and the ID token stands",
        arguments: [
            (.page(), "a page"), (.json(""), "empty"), (.json("[]"), "a list"), (.json("<user id='1'/>"), "XML"),
            (.json("<!DOCTYPE html><title>Ann Example</title>"), "a page"),
        ] as [(ScriptedAnswer, String)])
    func notJSON(_ answer: ScriptedAnswer, _ form: String) async throws {
        script(answer)
        let identity = try await verify()
        #expect(identity.profile.name == "Ann Example" && identity.isProfileWhole)
        #expect(identity.profileRefusal == .notJSON(.user, form))
    }

    @Test("A member in Latin-1, or with a raw line break, does not cost the others")
    func rawOctets() async throws {
        let body = Array(#"{"sub":"\#(Yahoo.subject)","preferred_username":"ann","name":"Jos"#.utf8) + [0xE9]
        script(.bytes(body + Array("\",\"address\":\"Street 1\nCity\"}".utf8)))
        let identity = try await verify()
        #expect(identity.profile.screenName == "ann" && identity.profile.name == "Ann Example")
        #expect(
            identity.profileRefusal
                == .unusableMembers("name (\(Self.unreadable))"))
    }

    @Test(
        "An encrypted JWT, and one without a signature, are left out and named",
        arguments: [
            ("eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkExMjhHQ00ifQ.AAEC.AAEC.AAEC.AAEC", "jose.encrypted"),
            ("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.", "jose.malformed_segments"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.AAEC", "jose.algorithm_not_allowed"),
        ])
    func unsignedUserInfo(_ token: String, _ code: String) async throws {
        script(.body(token, type: "application/jwt"))
        let identity = try await verify()
        #expect(identity.profile.name == "Ann Example" && identity.isProfileWhole)
        #expect(identity.profileRefusal?.sentence.hasSuffix(", or has the wrong form: \(code)") == true)
        #expect(identity.profileRefusal?.advice?.hasPrefix("If userinfo is encrypted, switch that off") == true)
    }

    @Test("A response that is too large is left out")
    func tooLarge() async throws {
        script(.failure(.tooLarge(host: "h")))
        let identity = try await verify()
        #expect(identity.profileRefusal == .noAnswer(.tooLarge(host: "h")) && identity.isProfileWhole)
    }

    private static let body: [String: JSON] = [
        "sub": .string(Yahoo.subject), "iss": .string(Yahoo.issuer), "aud": .string(Yahoo.clientID),
        "picture": .string("https://img.example/signed.png"),
    ]

    /// Signed userinfo, made like an ID token of Yahoo with other claims.
    private func signed(_ change: (inout IDTokenBuilder) -> Void = { _ in }) throws -> ScriptedAnswer {
        var token = proof.token
        for (name, value) in Self.body { token = token.setting(name, to: value) }
        for name in ["exp", "iat", "nonce"] { token = token.setting(name, to: nil) }
        change(&token)
        return .body(try token.compact(), type: "application/jwt; charset=utf-8")
    }

    @Test("Real-world 12: a signed JWT is verified with the provider's keys, whatever its media type is")
    func signedUserInfo() async throws {
        script(try signed())
        let identity = try await verify()
        #expect(identity.profile.picture == "https://img.example/signed.png" && identity.profileRefusal == nil)
    }

    @Test(
        "A signed JWT that does not verify, or is for another issuer or client, is left out",
        arguments: [
            ("iss", .string("https://evil.example"), "jose.issuer_mismatch", "the iss https://evil.example"),
            ("iss", nil, "jose.issuer_mismatch", "no iss"),
            ("aud", .string("another-client"), "jose.audience_mismatch", "the aud another-client"),
            ("aud", nil, "jose.audience_mismatch", "no aud"),
        ] as [(String, JSON?, String, String)])
    func foreignUserInfo(_ claim: String, _ value: JSON?, _ code: String, _ found: String) async throws {
        script(try signed { $0 = $0.setting(claim, to: value) })
        let identity = try await verify()
        #expect(identity.profile.picture == nil)
        let expected = claim == "iss" ? Yahoo.issuer : Yahoo.clientID
        let advice =
            "The JWT has \(found), and OpenID Connect Core section 5.3.2 demands \(expected): the provider has to correct it, or to "
            + "send userinfo without a signature, if it has a setting for that."
        #expect(
            identity.profileRefusal
                == .malformedResponse(ProviderFailure.verifiableUserInfo, found: code, advice: advice))
    }

    @Test("A JWT with the signature of another key is left out, and one about another person is refused")
    func forgedUserInfo() async throws {
        script(try signed { $0 = $0.signed(by: .foreignCurve) })
        let identity = try await verify()
        #expect(
            identity.profileRefusal
                == .malformedResponse(ProviderFailure.verifiableUserInfo, found: "jose.signature_invalid"))
        script(try signed { $0 = $0.setting("sub", to: .string("another")) })
        await expectRefusal(ProviderFailure.otherPersonInUserInfo.refusal) {
            try await proof.verify(
                proof.token.setting("jti", to: .string("2")).vouching(for: Yahoo.accessToken),
                accessToken: Yahoo.accessToken)
        }
    }

    @Test(
        "Real-world 10: email_verified as a text is reported once, and counts with claim_text",
        arguments: [(#""true""#, true), (#""false""#, false), (#""TRUE""#, false), ("1", false)])
    func textualVerification(_ value: String, _ isVerified: Bool) throws {
        let body =
            #"{"sub":"u","email":"Bob@Example.com","email_verified":\#(value)}"#
        let answer = try JSON.parse(Array(body.utf8))
        let mapping = ProfileMapping.openIDConnect
        #expect(mapping.profile(in: answer, trusting: .claim).isEmailVerified == false)
        #expect(mapping.profile(in: answer, trusting: .claimText).isEmailVerified == isVerified)
        let isText = [#""true""#, #""false""#].contains(value)
        let part = mapping.unusableParts(in: answer, trusting: .claim)
        #expect((part == .unusableMembers("email_verified (a text)")) == isText)
        #expect((mapping.unusableParts(in: answer, trusting: .claimText) == nil) == isText)
    }

    @Test("The advice on email_verified as a text names its place, also if another part cannot be used")
    func placeOfTextualVerification() throws {
        var mapping = ProfileMapping(subject: "/id", form: .textOrInteger)
        mapping.name = "/name"
        mapping.email = "/mail"
        mapping.emailVerified = "/mail_state/verified"
        func advice(_ members: String) throws -> String {
            let body = #"{"id":1,"mail":"a@b.example",\#(members)}"#
            let answer = try JSON.parse(Array(body.utf8))
            return mapping.unusableParts(in: answer, trusting: .claim)?.advice ?? ""
        }
        let own = "says that mail_state/verified is the text true or false, write trust_email: claim_text."
        let text = #""mail_state":{"verified":"true"}"#
        #expect(try advice(text).hasSuffix(own))
        let both = try advice(text + #","name":42"#)
        #expect(both.contains(own) && both.contains("If the section has members, correct the place there"))
        let other = try advice(#""name":42"#)
        #expect(!other.contains("trust_email"))
    }

    @Test(
        "A part that the endpoint refuses permanently is left out and reported",
        arguments: [
            (301, ProviderFailure.refusedProfile(.user, status: 301)), (401, .refusedProfile(.user, status: 401)),
            (402, .refusedClient(.credit)), (403, .refusedProfile(.user, status: 403)),
            (404, .refusedProfile(.user, status: 404)), (204, .failed(status: 204)), (501, .failed(status: 501)),
            (505, .failed(status: 505)),
        ])
    func refused(_ status: Int, _ failure: ProviderFailure) async throws {
        script(.status(status))
        let identity = try await verify()
        #expect(identity.subject.text == Yahoo.subject)
        #expect(identity.isProfileWhole)
        #expect(identity.profileRefusal == failure)
        #expect(identity.profile.name == "Ann Example")
        #expect(identity.profile.picture == nil)
    }

    @Test("The operator reads the error of WWW-Authenticate (RFC 6750 §3), and the ID token stands")
    func challenge() async throws {
        let field = HeaderField(
            "WWW-Authenticate", #"Bearer error="insufficient_scope", error_description="openid is missing""#)
        script(.status(403, header: [field]))
        let identity = try await verify()
        #expect(identity.subject.text == Yahoo.subject)
        #expect(
            identity.profileRefusal
                == .refusedProfile(
                    .user, status: 403, says: "error: insufficient_scope; error_description: openid is missing"))
    }

    @Test(
        "A page of a firewall is left out, and the operator is told to look there and not at the registration",
        arguments: ["<!DOCTYPE html><title>Just a moment...</title>", "error code: 1010\n"])
    func firewall(_ body: String) async throws {
        script(.body(body, type: "text/html", status: 403))
        let identity = try await verify()
        #expect(identity.profileRefusal == .pageInPlaceOfProfile(.user, status: 403))
        #expect(identity.profileRefusal?.advice?.contains("a firewall or a protection against robots") == true)
        #expect(ProviderFailure.refusedProfile(.user, status: 403).advice?.contains("access tier") == true)
        #expect(
            ProviderFailure.refusedProfile(.user, status: 403).advice?.contains("admits only listed people") == true)
    }

    @Test("The advice on a user endpoint says how to write another request, unless nothing is at the address")
    func requestForm() {
        let form = "If the documentation demands POST, write that key"
        for status in [200, 400, 401, 403, 405] {
            #expect(ProviderFailure.refusedProfile(.user, status: status).advice?.contains(form) == true)
            #expect(ProviderFailure.refusedProfile(.introspection, status: status).advice?.contains(form) == false)
        }
        #expect(ProviderFailure.refusedProfile(.user, status: 404).advice?.contains(form) == false)
    }

    @Test(
        "A temporary failure is not taken for a response",
        arguments: [
            (.status(500), .failed(status: 500)), (.status(503), .unavailable(retryAfter: nil)),
            (.status(429), .throttled(retryAfter: nil)),
            (
                .failure(.timedOut(host: "h", requestSent: true)), .noAnswer(.timedOut(host: "h", requestSent: true))
            ), (.failure(.interrupted(host: "h")), .noAnswer(.interrupted(host: "h"))),
        ] as [(ScriptedAnswer, ProviderFailure)])
    func outage(_ answer: ScriptedAnswer, _ failure: ProviderFailure) async {
        script(answer)
        await expectRefusal(failure.refusal) { try await verify() }
        // The identity itself is proven: the ID token is spent.
        #expect(proof.deployment.store.spentKinds == [.idToken])
    }

    @Test("Before the call the profile is incomplete")
    func unfetched() async throws {
        let deployment = proof.deployment
        let identity = try await deployment.verifier.verify(
            proof.token.vouching(for: Yahoo.accessToken).token(), accessToken: AccessToken(Yahoo.accessToken),
            with: deployment.openIDConnect(of: deployment.yahoo), of: deployment.yahoo,
            nonce: ExpectedNonce(values: [Proof.nonce]))
        #expect(!identity.isProfileWhole)
        #expect(deployment.peer.requests(to: Yahoo.userInfo).isEmpty)
    }

    @Test("Claims of the ID token take precedence over those of the endpoint")
    func idTokenFirst() async throws {
        script(
            .json(
                #"""
                {"sub":"UQIDWJNWVNQD4GXZ5NGMZUSTQ4","name":"Other","email":"other@example.org","email_verified":false}
                """#))
        let profile = try await verify().profile
        #expect(profile.name == "Ann Example")
        #expect(profile.email == "ann@example.org")
        #expect(profile.isEmailVerified == true)
    }

    @Test("IDT-53: No URL of a profile is fetched")
    func picture() async throws {
        script(
            .json(
                #"""
                {"sub":"UQIDWJNWVNQD4GXZ5NGMZUSTQ4","picture":"http://169.254.169.254/","profile":"file:///etc/passwd"}
                """#))
        _ = try await verify()
        #expect(proof.deployment.peer.requests.map(\.url) == [Yahoo.keys, Yahoo.userInfo])
    }
}
