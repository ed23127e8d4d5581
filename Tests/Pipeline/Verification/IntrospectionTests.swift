import Documents
import JOSE
import Jansson
import OAuth
import Providers
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
        changing members: [String: JSON?], is expected: VerificationError,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        deployment.scriptIntrospection(changing: members)
        await #expect(throws: expected, sourceLocation: sourceLocation) { try await verify() }
        #expect(deployment.store.spentKinds == [.nonce], sourceLocation: sourceLocation)
        #expect(deployment.peer.requests(to: Generic.userInfo).isEmpty, sourceLocation: sourceLocation)
    }

    @Test("An access token that the provider says was issued to us proves who it says it is")
    func baseline() async throws {
        let identity = try await verify()
        #expect(identity.provider == Generic.id)
        #expect(identity.subject == Generic.subject)
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

    @Test("A further client id of ours is one")
    func furtherClientID() async throws {
        deployment.scriptIntrospection(changing: ["client_id": .string("generic-phone")])
        #expect(try await verify().subject == Generic.subject)
    }

    @Test("Issuer and expiry need not be named (RFC 7662 §2.2)")
    func optionalMembers() async throws {
        deployment.scriptIntrospection(changing: ["iss": nil, "exp": nil, "scope": nil])
        #expect(try await verify().subject == Generic.subject)
    }

    @Test("IDT-19: A token that was issued to another client is refused")
    func otherClient() async {
        for client in [JSON.string("another"), .string(""), .null, .array([.string(Generic.clientID)]), .integer(1)] {
            deployment.scriptIntrospection(changing: ["client_id": client])
            await #expect(throws: VerificationError.audienceMismatch) { try await verify() }
            try? await deployment.store.giveBack([proof.nonceRecord()])
        }
        await check(changing: ["client_id": nil], is: .audienceMismatch)
    }

    @Test("That it is for us as an audience does not say that it was issued to us")
    func audience() async {
        await check(changing: ["client_id": nil, "aud": .string(Generic.clientID)], is: .audienceMismatch)
    }

    @Test("A token that is not active is refused", arguments: [JSON.bool(false), .string("true"), .integer(1), .null])
    func inactive(_ value: JSON) async {
        await check(changing: ["active": value], is: .tokenRejected)
    }

    @Test("A token of which nothing is said is not active")
    func nothingSaid() async {
        await check(changing: ["active": nil], is: .tokenRejected)
    }

    @Test("A token that has expired is refused, whatever is said of it")
    func expired() async {
        let now = TestClock.start.seconds
        for expiry in [JSON.integer(now), .integer(now - 1), .integer(0), .string("9999999999"), .real(9e9), .null] {
            deployment.scriptIntrospection(changing: ["exp": expiry])
            await #expect(throws: VerificationError.tokenRejected) { try await verify() }
            try? await deployment.store.giveBack([proof.nonceRecord()])
        }
        await check(changing: ["exp": .integer(now)], is: .tokenRejected)
    }

    @Test("A token of another issuer is refused")
    func otherIssuer() async {
        for issuer in [JSON.string("https://evil.example"), .string(Generic.issuer + "/"), .null, .array([])] {
            deployment.scriptIntrospection(changing: ["iss": issuer])
            await #expect(throws: VerificationError.audienceMismatch) { try await verify() }
            try? await deployment.store.giveBack([proof.nonceRecord()])
        }
        await check(changing: ["iss": .string("x")], is: .audienceMismatch)
    }

    @Test("A token of nobody is none")
    func noSubject() async {
        await check(changing: ["sub": nil], is: .provider(.malformedResponse("sub"), givenBack: false))
    }

    @Test(
        "IDT-29: A subject that no ID token may have is none here",
        arguments: ["", " ", "\t", "a\u{1}", "\n", String(repeating: "a", count: 256)])
    func unfitSubject(_ subject: String) async {
        await check(
            changing: ["sub": .string(subject)], is: .provider(.malformedResponse("sub"), givenBack: false))
    }

    @Test("EX-15: Userinfo about somebody else is found out")
    func otherUser() async {
        deployment.scriptUserInfo(Generic.userInfo, subject: "another")
        await #expect(throws: VerificationError.provider(.malformedResponse("sub"), givenBack: false)) {
            try await verify()
        }
    }

    @Test("O1-06: A request that is sent twice asks the provider once")
    func replay() async throws {
        _ = try await verify()
        await #expect(throws: VerificationError.replayed) { try await verify() }
        #expect(deployment.peer.requests(to: Generic.introspection).count == 1)
    }

    @Test("The nonce is good again where nothing arrived, or the provider says: not now")
    func givenBack() async throws {
        let error = TransportError.unreachable(host: "id.example")
        for (answer, failure) in [
            (ScriptedAnswer.failure(error), ProviderFailure.noAnswer(error)),
            (.status(429), .throttled(retryAfter: nil)), (.status(503), .unavailable(retryAfter: nil)),
        ] {
            deployment.peer.script(.post, Generic.introspection, answer)
            await #expect(throws: VerificationError.provider(failure, givenBack: true)) { try await verify() }
            #expect(deployment.store.spentKinds.isEmpty)
        }
        deployment.scriptIntrospection()
        _ = try await verify()
    }

    @Test("It stays spent where the provider may have answered")
    func spent() async {
        let error = TransportError.timedOut(host: "id.example", requestSent: true)
        deployment.peer.script(.post, Generic.introspection, .failure(error))
        await #expect(throws: VerificationError.provider(.noAnswer(error), givenBack: false)) { try await verify() }
        #expect(deployment.store.spentKinds == [.nonce])
    }

    @Test("401 is about our own credentials (RFC 7662 §2.3)")
    func refusedClient() async {
        deployment.peer.script(.post, Generic.introspection, .status(401))
        await #expect(throws: VerificationError.provider(.refusedClient(.credentials), givenBack: false)) {
            try await verify()
        }
    }

    @Test("A redirect, an error or a page is no answer")
    func noAnswer() async {
        for (number, status) in [302, 400, 403, 500].enumerated() {
            deployment.peer.script(.post, Generic.introspection, .status(status))
            await #expect(throws: VerificationError.provider(.failed(status: status), givenBack: false)) {
                try await verify(nonce: UInt8(number))
            }
        }
        deployment.peer.script(.post, Generic.introspection, .page())
        await #expect(throws: VerificationError.provider(.malformedResponse("media type"), givenBack: false)) {
            try await verify(nonce: 9)
        }
    }

    @Test("Where the provider offers no introspection, nothing is asked and nothing is spent")
    func unverifiable() async throws {
        await #expect(throws: VerificationError.audienceUnverifiable) {
            try await deployment.verifier.verify(
                AccessToken(Yahoo.accessToken), nonce: proof.nonceRecord(),
                with: deployment.openIDConnect(of: deployment.yahoo), of: deployment.yahoo)
        }
        #expect(deployment.peer.requests.isEmpty && deployment.store.calls.isEmpty)
    }

    @Test("Metadata that are not to be had spend no nonce")
    func noMetadata() async {
        deployment.peer.script(.get, Generic.metadata, .status(500))
        await #expect(throws: VerificationError.provider(.document(.status(500)), givenBack: true)) {
            try await verify()
        }
        #expect(deployment.store.calls.isEmpty)
    }
}
