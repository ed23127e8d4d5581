import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Introspection")
struct IntrospectionTests {
    private let proof: Proof
    private let deployment: Deployment

    init() throws {
        proof = try Proof { $0.generic.furtherClientIDs = ["generic-phone"] }
        deployment = proof.deployment
        deployment.scriptIntrospection()
    }

    private func verify(nonce: UInt8 = 1) async throws -> VerifiedIdentity {
        let identity = try await deployment.verifier.verify(
            AccessToken(Generic.accessToken), nonce: proof.nonceRecord(nonce),
            with: deployment.openIDConnect(of: deployment.generic), of: deployment.generic)
        return try await deployment.verifier.completed(identity)
    }

    private func check(
        changing members: [String: JSON?], is expected: Refusal,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        deployment.scriptIntrospection(changing: members)
        await expectRefusal(expected, sourceLocation: sourceLocation) { try await verify() }
        #expect(deployment.store.spentKinds == [.nonce], sourceLocation: sourceLocation)
        #expect(deployment.peer.requests(to: Generic.userInfo).isEmpty, sourceLocation: sourceLocation)
    }

    @Test("An access token that was issued to this client proves the identity of the response")
    func baseline() async throws {
        let identity = try await verify()
        #expect(identity.provider == Generic.id)
        #expect(identity.subject.text == Generic.subject)
        #expect(identity.audienceProof == .introspection)
        #expect(identity.profile.screenName == "ann")
        #expect(identity.tokens.accessToken?.secretText == Generic.accessToken)
        #expect(identity.tokens.scope == "openid")
        #expect(identity.returnable.map(\.kind) == [.nonce])
        let request = try #require(deployment.peer.requests(to: Generic.introspection).first)
        let form = try request.form
        #expect(form["token"] == Generic.accessToken)
        #expect(form["token_type_hint"] == "access_token")
        #expect(form["client_id"] == Generic.clientID)
        #expect(form["client_secret"] == Generic.clientSecret)
        #expect(!request.url.contains(Generic.accessToken))
    }

    @Test("A further client id is accepted")
    func furtherClientID() async throws {
        deployment.scriptIntrospection(changing: ["client_id": .string("generic-phone")])
        #expect(try await verify().subject.text == Generic.subject)
    }

    @Test("Issuer and expiry may be missing (RFC 7662 §2.2)")
    func optionalMembers() async throws {
        deployment.scriptIntrospection(changing: ["iss": nil, "exp": nil, "scope": nil])
        #expect(try await verify().subject.text == Generic.subject)
    }

    @Test("IDT-19: A token that was issued to another client is refused")
    func otherClient() async {
        for (client, words) in [
            (JSON.string("another"), "is another, and not"), (.string(""), "is , and not"),
            (.array([.string(Generic.clientID)]), "is a list, and not"),
            (.integer(1), "is 1, and not"),
        ] {
            deployment.scriptIntrospection(changing: ["client_id": client])
            await expectRefusal(Self.otherApplication(words)) { try await verify() }
            try? await deployment.store.giveBack([proof.nonceRecord()])
        }
        await check(
            changing: ["client_id": nil],
            is: Self.otherApplication(
                "is missing, and must be", "; its members are active, exp, iss, scope, sub"))
    }

    @Test("The audience does not prove that the token was issued to this client")
    func audience() async {
        await check(
            changing: ["client_id": nil, "aud": .string(Generic.clientID)],
            is: Self.otherApplication(
                "is missing, and must be", "; its members are active, aud, exp, iss, scope, sub"))
    }

    private static func otherApplication(_ words: String, _ members: String = "") -> Refusal {
        .otherAudience(
            "the application at /client_id of the introspection \(words) \(Generic.clientID) or generic-phone\(members)"
        )
    }

    @Test("A token that is not active is refused", arguments: [JSON.bool(false), .string("true"), .integer(1)])
    func inactive(_ value: JSON) async {
        await check(changing: ["active": value], is: Self.inactive)
    }

    @Test(
        "RFC 7662 §2.2: an answer that does not say whether the token is active is the provider's failure",
        arguments: [
            (#"{"error":"server_error"}"#, "its members are error"),
            (#"{"active":null,"client_id":"generic-client"}"#, "its members are client_id"),
            ("{}", "the answer has no members, or all of them are null"),
        ])
    func nothingSaid(_ answer: String, _ members: String) async {
        deployment.peer.script(.post, Generic.introspection, .json(answer))
        await expectRefusal(Reason.providerResponseInvalid, isUnspent: false) { try await verify() }
        let again = await refusal { try await verify(nonce: 2) }
        #expect(
            again?.finding
                == "/active of the introspection is missing in its answer, or has the wrong form: \(members)")
    }

    @Test("An answer with the code of RFC 6750 for a token that is not valid refuses the token")
    func invalidToken() async {
        deployment.peer.script(.post, Generic.introspection, .json(#"{"error":"invalid_token"}"#))
        await expectRefusal(Self.inactive) { try await verify() }
    }

    private static let inactive = Refusal.notActive("/active")

    @Test("An expired token is refused even if the response calls it active")
    func expired() async {
        let now = TestClock.start.seconds
        for expiry in [JSON.integer(now), .integer(now - 1), .integer(0), .string("9999999999"), .real(9e9)] {
            deployment.scriptIntrospection(changing: ["exp": expiry])
            await expectRefusal(Reason.tokenRejected) { try await verify() }
            try? await deployment.store.giveBack([proof.nonceRecord()])
        }
        await check(
            changing: ["exp": .string("9999999999")],
            is: .tokenRejected(
                "the expiry in the introspection (/exp) is a text, and must be a number of seconds after \(now)"))
    }

    @Test(
        "RFC 7662 §2.2: a token of another kind, one that is bound to a key, and one of the future are refused",
        arguments: [
            ("typ", .string("ID"), " is ID"), ("typ", .string("Refresh"), " is Refresh"),
            ("typ", .string("JWT"), " is JWT"), ("token_use", .string("id"), " is id"),
            ("token_use", .string("refresh_token"), " is refresh_token"),
            ("token_type", .string("refresh_token"), " is refresh_token"),
            ("token_type", .string("DPoP"), " is DPoP"), ("token_type", .string("N_A"), " is N_A"),
            ("token_type", .integer(1), " is 1"), ("token_type", .array([]), " is a list"),
            ("cnf", .object(["jkt": .string("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")]), ""),
            ("cnf", .object(["x5t#S256": .string("bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2")]), ""),
            ("nbf", .integer(1_700_000_061), " is 1700000061"), ("nbf", .string("1600000000"), " is 1600000000"),
        ] as [(String, JSON, String)])
    func otherKind(_ member: String, _ value: JSON, _ found: String) async {
        await check(
            changing: [member: value],
            is: .tokenRejected(
                "the introspection describes no access token that its bearer may use (\(member)\(found))"))
    }

    @Test(
        "An answer that calls the token an access token, or says nothing about it, is accepted",
        arguments: [
            ("typ", .string("Bearer")), ("typ", .string("at+jwt")), ("typ", .null), ("token_use", .string("access")),
            ("token_use", .string("access_token")), ("token_type", .string("bearer")),
            ("token_type", .string("Bearer")),
            ("cnf", .null), ("nbf", .integer(1_700_000_060)), ("nbf", .null),
        ] as [(String, JSON)])
    func accessToken(_ member: String, _ value: JSON) async throws {
        deployment.scriptIntrospection(changing: [member: value])
        #expect(try await verify().subject.text == Generic.subject)
    }

    @Test("A token of another issuer is refused")
    func otherIssuer() async {
        for issuer in [JSON.string("https://evil.example"), .string(Generic.issuer + "/"), .array([])] {
            deployment.scriptIntrospection(changing: ["iss": issuer])
            await expectRefusal(Reason.audienceMismatch) { try await verify() }
            try? await deployment.store.giveBack([proof.nonceRecord()])
        }
        await check(
            changing: ["iss": .string("x")],
            is: .otherAudience("the introspection names the issuer x, and not \(Generic.issuer)"))
    }

    @Test("A token without a subject is refused")
    func noSubject() async {
        await check(
            changing: ["sub": nil],
            is: .tokenRejected(
                "the introspection names no user: its answer has nothing at /sub, where the user's id should be; its members are "
                    + "active, client_id, exp, iss, scope"))
    }

    @Test(
        "IDT-29: A subject that is malformed in an ID token is malformed here",
        arguments: [
            ("", "an empty text"), (" ", "a text of spaces"), ("\t", "a text of spaces"),
            ("a\u{1}", "two members of that name, a number out of range, or a text that cannot be read"),
            ("\n", "a text of spaces"),
            (String(repeating: "a", count: 256), "a text of 256 octets"),
        ])
    func unfitSubject(_ subject: String, _ found: String) async {
        await check(
            changing: ["sub": .string(subject)],
            is: .tokenRejected(
                "the introspection names no user: the user's id at /sub is \(found), and must be a text of at most 255 octets"
            ))
    }

    @Test("EX-15: Userinfo about another person is refused")
    func otherUser() async {
        deployment.scriptUserInfo(Generic.userInfo, subject: "another")
        await expectRefusal(Refusal.tokenRejected("the user endpoint and the introspection name different users")) {
            try await verify()
        }
    }

    @Test("O1-06: A repeated request causes only one call to the provider")
    func replay() async throws {
        _ = try await verify()
        await expectRefusal(Refusal.replayed(.nonce)) { try await verify() }
        #expect(deployment.peer.requests(to: Generic.introspection).count == 1)
    }

    @Test("The nonce is given back if the provider cannot have received the call, or refuses it for now")
    func givenBack() async throws {
        let error = TransportError.unreachable(host: "id.example")
        for (answer, failure) in [
            (ScriptedAnswer.failure(error), ProviderFailure.noAnswer(error)),
            (.status(429), .throttled(retryAfter: nil)), (.status(503), .unavailable(retryAfter: nil)),
        ] {
            deployment.peer.script(.post, Generic.introspection, answer)
            await expectRefusal(failure.refusal.unspent) { try await verify() }
            #expect(deployment.store.spentKinds.isEmpty)
        }
        deployment.scriptIntrospection()
        _ = try await verify()
    }

    @Test("The nonce stays spent if the provider may have received the call")
    func spent() async {
        let error = TransportError.timedOut(host: "id.example", requestSent: true)
        deployment.peer.script(.post, Generic.introspection, .failure(error))
        await expectRefusal(ProviderFailure.noAnswer(error).refusal.spent) { try await verify() }
        #expect(deployment.store.spentKinds == [.nonce])
    }

    @Test("401 and 403 concern this server's own client (RFC 7662 §2.3), unless a page has the status")
    func refusedClient() async {
        for (number, status) in [401, 403].enumerated() {
            deployment.peer.script(.post, Generic.introspection, .status(status))
            await expectRefusal(ProviderFailure.refusedClient(.introspection).refusal.spent) {
                try await verify(nonce: UInt8(number))
            }
            deployment.peer.script(.post, Generic.introspection, .page(status: status))
            let page = ProviderFailure.pageInPlaceOfProfile(.introspection, status: status)
            await expectRefusal(page.refusal.spent) { try await verify(nonce: UInt8(number) + 2) }
        }
        #expect(ClientRefusal.introspection.advice.contains("this client may not introspect: allow it at the provider"))
        let limit = ScriptedAnswer.status(403, header: [HeaderField("Retry-After", "60")])
        deployment.peer.script(.post, Generic.introspection, limit)
        let passing = ProviderFailure.refusedProfile(.introspection, status: 403)
        await expectRefusal(passing.refusal.spent) { try await verify(nonce: 9) }
    }

    @Test("A redirect, an error or an HTML page is refused")
    func noAnswer() async {
        for (number, status) in [302, 400, 404, 405, 500].enumerated() {
            deployment.peer.script(.post, Generic.introspection, .status(status))
            let failure: ProviderFailure =
                status == 500 ? .failed(status: status) : .refusedProfile(.introspection, status: status)
            await expectRefusal(failure.refusal.spent) { try await verify(nonce: UInt8(number)) }
        }
        let absent = ProviderFailure.refusedProfile(.introspection, status: 405)
        #expect(absent.sentence == "its introspection endpoint refuses the request (status 405)")
        #expect(absent.advice?.hasPrefix("Compare endpoints.introspection (introspection.url with OAuth 2.0)") == true)
        let refused = ProviderFailure.refusedProfile(.introspection, status: 400)
        #expect(refused.advice?.contains("and for which clients and tokens it is") == true)
        deployment.peer.script(.post, Generic.introspection, .page())
        await expectRefusal(ProviderFailure.notJSON(.introspection, "a page").refusal.spent) {
            try await verify(nonce: 9)
        }
    }

    @Test("If the provider has no introspection endpoint, no call is made and nothing is spent")
    func unverifiable() async throws {
        await expectRefusal(Refusal.audienceUnverifiable) {
            try await deployment.verifier.verify(
                AccessToken(Yahoo.accessToken), nonce: proof.nonceRecord(),
                with: deployment.openIDConnect(of: deployment.yahoo), of: deployment.yahoo)
        }
        #expect(deployment.peer.requests.isEmpty && deployment.store.calls.isEmpty)
    }

    @Test("If the metadata cannot be fetched, the nonce is not spent")
    func noMetadata() async {
        deployment.peer.script(.get, Generic.metadata, .status(500))
        await expectRefusal(ProviderFailure.document(.status(500)).refusal.unspent) {
            try await verify()
        }
        #expect(deployment.store.calls.isEmpty)
    }
}
