import Accounts
import Flows
import JOSE
import Jansson
import Minting
import OpenSSL
import Providers
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Answers of hooks")
struct HookAnswerTests {
    private static let host = "hooks.example"

    /// Unusable answers, and the failure that each causes.
    static let failures: [(String, ScriptedAnswer, HookFailure)] = [
        ("status 204", .status(204), .status(204)),
        ("status 403", .json(#"{"deny":{"message":"m"}}"#, status: 403), .status(403)),
        ("a redirect", .status(307, header: [HeaderField("Location", "https://hooks.example/ok")]), .status(307)),
        ("status 500", .json("{}", status: 500), .status(500)),
        ("a page", .page(), .malformed(.noObject)),
        ("no body", .status(200), .malformed(.noObject)),
        ("a list", .json("[]"), .malformed(.noObject)),
        ("a duplicate member", .json(#"{"claims":{},"claims":{}}"#), .malformed(.noObject)),
        ("an unknown member", .json(#"{"claim":{}}"#), .malformed(.otherMember)),
        ("an unknown member beside deny", .json(#"{"deny":{},"uid":"admin"}"#), .malformed(.otherMember)),
        ("deny that is no object", .json(#"{"deny":true}"#), .malformed(.deny)),
        ("claims that are no object", .json(#"{"claims":["admin"]}"#), .malformed(.claims)),
        ("a reserved claim", .json(#"{"claims":{"sub":"admin"}}"#), .claims(.reservedClaim("sub"))),
        (
            "claims of 1001 bytes", .json(#"{"claims":{"a":"\#(String(repeating: "a", count: 993))"}}"#),
            .claims(.claimsTooLarge(bytes: 1001))
        ),
        (
            "no answer in time", .failure(.timedOut(host: host, requestSent: true)),
            .unreachable(.timedOut(host: host, requestSent: true))
        ),
        ("a long answer", .failure(.tooLarge(host: host)), .unreachable(.tooLarge(host: host))),
        ("a certificate of another host", .failure(.untrusted(host: host)), .unreachable(.untrusted(host: host))),
    ]

    @Test("An unusable answer makes the call fail, and the same request may be sent again", arguments: failures)
    func failure(_ name: String, _ answer: ScriptedAnswer, _ failure: HookFailure) async throws {
        for point in [HookPoint.beforeCreate, .beforeSignIn] {
            let deployment = try Deployment.hooked([point])
            let credential = try deployment.yahooIDToken()
            deployment.peer.script(.post, point.url, answer)
            let found = await refusal { try await deployment.exchange(credential, of: Yahoo.id) }
            #expect(found == failure.refusal)
            let advice = (found?.cause as? any AdvisingCause)?.advice
            #expect(advice?.hasPrefix("The hook is hooks.\(point.rawValue). ") == true)
            #expect(deployment.peer.requests(to: point.url).count == 1, "A hook is asked once.")
            let isMade = try await deployment.store.account(uid: Person.yahooUID) != nil
            #expect(isMade == (point == .beforeSignIn))
            deployment.script(point, "{}")
            #expect(try await deployment.exchange(credential, of: Yahoo.id).account.uid == Person.yahooUID)
        }
    }

    @Test("The advice on a hook that cannot be reached says nothing of the endpoints of providers")
    func unreachable() async throws {
        for (host, words) in [
            (Self.host, "server.outbound_proxy"), ("127.0.0.1", "in a container the container itself"),
        ] {
            let deployment = try Deployment.hooked([.beforeSignIn])
            let credential = try deployment.yahooIDToken()
            deployment.peer.script(.post, HookPoint.beforeSignIn.url, .failure(.unreachable(host: host)))
            let found = await refusal { try await deployment.exchange(credential, of: Yahoo.id) }
            let advice = (found?.cause as? any AdvisingCause)?.advice ?? ""
            #expect(advice.contains(words) && !advice.contains("endpoints"), "\(advice)")
        }
    }

    @Test("With on_failure: allow the call continues without claims, and the failure is reported", arguments: failures)
    func allowed(_ name: String, _ answer: ScriptedAnswer, _ failure: HookFailure) async throws {
        let failures = HookFailures()
        let deployment = try Deployment.hooked([.beforeSignIn], allowsOnFailure: true) {
            $0.onHookFailure = failures.record
        }
        deployment.peer.script(.post, HookPoint.beforeSignIn.url, answer)
        #expect(try await deployment.signIn(.yahooIDToken).claims == ["idp": .string("yahoo.com")])
        #expect(failures.all == [failure])
        #expect(failures.points == [.beforeSignIn])
    }

    @Test(
        "A question that this server gave up refuses the call also with on_failure: allow",
        arguments: [TransportError.cancelled(requestSent: true), .overloaded(host: host)])
    func givenUp(_ error: TransportError) async throws {
        for point in [HookPoint.beforeCreate, .beforeSignIn] {
            let deployment = try Deployment.hooked([point], allowsOnFailure: true)
            deployment.peer.script(.post, point.url, .failure(error))
            let failure = HookFailure.unreachable(error).refusal
            await expectRefusal(failure) {
                try await deployment.signIn(.yahooIDToken)
            }
        }
    }

    @Test(
        "A hook cannot set a claim that says how the person was identified",
        arguments: [
            "idp", "idp_uid", "anonymous", "second_factor", "second_factor_time", "reauth_time", "reauth_method",
        ])
    func protected(_ name: String) async throws {
        for point in [HookPoint.beforeCreate, .beforeSignIn] {
            let deployment = try Deployment.hooked([point])
            deployment.script(point, #"{"claims":{"\#(name)":1,"role":"editor"}}"#)
            let failure = HookFailure.protectedClaim(name).refusal
            await expectRefusal(failure) {
                try await deployment.signIn(.yahooIDToken)
            }
        }
    }

    @Test("Claims are added to those of the configuration, and replace one of the same name")
    func claims() async throws {
        let deployment = try Deployment.hooked([.beforeSignIn]) {
            $0.claimTemplates["role"] = [.text("reader")]
        }
        #expect(try await deployment.signIn(.yahooIDToken).claims["role"] == .string("reader"))
        deployment.script(.beforeSignIn, #"{"claims":{"role":"editor","groups":["a",1]}}"#)
        #expect(
            try await deployment.signIn(.yahooIDToken).claims == [
                "idp": .string("yahoo.com"), "role": .string("editor"),
                "groups": .array([.string("a"), .integer(1)]),
            ])
    }

    @Test("Claims of before_create are in the first token only; those of before_sign_in replace them")
    func bothClaims() async throws {
        let deployment = try Deployment.hooked()
        deployment.script(.beforeCreate, #"{"claims":{"plan":"trial","role":"guest"}}"#)
        deployment.script(.beforeSignIn, #"{"claims":{"role":"editor"}}"#)
        #expect(
            try await deployment.signIn(.yahooIDToken).claims == [
                "idp": .string("yahoo.com"), "plan": .string("trial"), "role": .string("editor"),
            ])
        #expect(
            try await deployment.signIn(.yahooIDToken).claims == [
                "idp": .string("yahoo.com"), "role": .string("editor"),
            ])
    }

    @Test("An account that appears while before_create is asked gets none of its claims")
    func race() async throws {
        let deployment = try Deployment.hooked()
        let identity = try await deployment.yahooIdentity()
        let answer = ScriptedAnswer { [accounts = deployment.accounts] _ throws(TransportError) in
            do {
                _ = try await accounts.findOrMake(identity)
            } catch {
                throw .notHTTP(host: "the account was not made")
            }
            return OutboundResponse(status: 200, body: Array(#"{"claims":{"plan":"trial"}}"#.utf8))
        }
        deployment.peer.script(.post, HookPoint.beforeCreate.url, answer)
        let outcome = try await deployment.signIn(.yahooIDToken)
        #expect(!outcome.account.isNew)
        #expect(try outcome.claims == ["idp": .string("yahoo.com")])
        #expect(try deployment.points() == ["before_create", "before_sign_in"])
    }

    @Test("Claims that only together with those of the configuration exceed 1000 bytes are a failure of the hook")
    func together() async throws {
        // With `{"a":"…","idp":"yahoo.com"}` around them these are 1000 and 1001 bytes.
        for (count, fits) in [(974, true), (975, false)] {
            let deployment = try Deployment.hooked([.beforeSignIn])
            deployment.script(.beforeSignIn, #"{"claims":{"a":"\#(String(repeating: "a", count: count))"}}"#)
            if fits {
                #expect(try await deployment.signIn(.yahooIDToken).claims["a"]?.string?.utf8.count == count)
            } else {
                let failure = HookFailure.claims(.claimsTooLarge(bytes: 1001)).refusal
                await expectRefusal(failure) {
                    try await deployment.signIn(.yahooIDToken)
                }
            }
        }
    }

    @Test("A refusal before the account leaves none, and the credential stays spent", arguments: [true, false])
    func refusedCreation(allowsOnFailure: Bool) async throws {
        let deployment = try Deployment.hooked(allowsOnFailure: allowsOnFailure)
        deployment.script(.beforeCreate, #"{"deny":{"message":"Ask your school for an invitation."}}"#)
        let credential = try deployment.yahooIDToken()
        let refusal = Refusal.blockedByHook(
            message: "Ask your school for an invitation.", by: .beforeCreate)
        await expectRefusal(refusal) { try await deployment.exchange(credential, of: Yahoo.id) }
        #expect(try await deployment.store.account(uid: Person.yahooUID) == nil)
        #expect(try deployment.points() == ["before_create"])
        deployment.script(.beforeCreate, "{}")
        await #expect(throws: (any Error).self) { try await deployment.exchange(credential, of: Yahoo.id) }
        #expect(try deployment.points() == ["before_create"])
    }

    @Test("A refusal with claims is a refusal")
    func both() async throws {
        let deployment = try Deployment.hooked([.beforeSignIn])
        deployment.script(.beforeSignIn, #"{"claims":{"role":"editor"},"deny":{"message":"No."}}"#)
        await expectRefusal(Refusal.blockedByHook(message: "No.", by: .beforeSignIn)) {
            try await deployment.signIn(.yahooIDToken)
        }
    }

    @Test(
        "The text of a refusal is one line of at most 300 characters, or missing",
        arguments: [
            (#"{}"#, nil), (#"{"message":7}"#, nil), (#"{"message":" \n"}"#, nil),
            (#"{"message":"a\r\nb\u001bc\u2028d","code":1}"#, "a  b c d"),
            (
                #"{"message":"\#(String(repeating: "\u{E4}", count: 301))"}"#,
                String(repeating: "\u{E4}", count: 300)
            ),
        ] as [(String, String?)])
    func message(_ deny: String, _ message: String?) async throws {
        let deployment = try Deployment.hooked([.beforeSignIn])
        deployment.script(.beforeSignIn, #"{"deny":\#(deny)}"#)
        await expectRefusal(Refusal.blockedByHook(message: message, by: .beforeSignIn)) {
            try await deployment.signIn(.yahooIDToken)
        }
    }

    @Test("A refused link changes nothing; after a failure the same request may be sent again")
    func link() async throws {
        let deployment = try Deployment.hooked([.beforeLink])
        _ = try await deployment.signIn(.yahooIDToken)
        let user = try await deployment.user(Person.yahooUID)
        deployment.script(.beforeLink, #"{"deny":{"message":"No."}}"#)
        let refused = try await deployment.proof(.xPair, of: user)
        await expectRefusal(Refusal.blockedByHook(message: "No.", by: .beforeLink)) {
            try await deployment.flows.accounts.link(user, refused)
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
        deployment.script(.beforeLink, "", status: 503)
        let failed = try await deployment.proof(.xPair, of: user)
        await expectRefusal(HookFailure.status(503).refusal.unspent) {
            try await deployment.flows.accounts.link(user, failed)
        }
        deployment.script(.beforeLink, "{}")
        #expect(try await deployment.flows.accounts.link(user, failed).account.identities.count == 2)
    }

    @Test("A refused reauthentication and a refused anonymous sign-in give no token")
    func otherCalls() async throws {
        let deployment = try Deployment.hooked()
        _ = try await deployment.signIn(.yahooIDToken)
        let user = try await deployment.user(Person.yahooUID)
        deployment.script(.beforeSignIn, #"{"deny":{}}"#)
        let refusal = Refusal.blockedByHook(message: nil, by: .beforeSignIn)
        #expect(refusal.finding == "hooks.before_sign_in refused the call")
        let proof = try await deployment.proof(.yahooCode, purpose: .reauthenticate, of: user)
        await expectRefusal(refusal) { try await deployment.flows.accounts.reauthenticate(user, proof) }
        await expectRefusal(refusal) {
            try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app)
        }
        deployment.script(.beforeCreate, "nonsense")
        let calls = deployment.store.calls.count
        await expectRefusal(HookFailure.malformed(.noObject).refusal.unspent) {
            try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app)
        }
        #expect(deployment.store.calls.count == calls, "No account is made.")
    }

    @Test("A question without randomness is not sent")
    func random() async throws {
        let deployment = try Deployment.hooked([.beforeCreate])
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) {
            try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app)
        }
        #expect(try deployment.events().isEmpty)
    }
}
