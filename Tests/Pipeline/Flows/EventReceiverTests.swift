import Accounts
import Firebase
import Fixtures
import Flows
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Events of providers")
struct EventReceiverTests {
    private static let uid = UID(constant: "oidc.example:248289761001")

    /// A deployment that may call Identity Toolkit, and in which the person of the logout token has an account.
    private static func deployment(
        hasAccount: Bool = true, _ change: (inout DeploymentPlan) -> Void = { _ in }
    ) async throws -> Deployment {
        let deployment = try Deployment { plan in
            plan.generic.events = [.logoutToken, .securityEvent]
            plan.asksGoogle = true
            change(&plan)
        }
        if hasAccount {
            _ = try await deployment.accounts.findOrMake(deployment.genericIdentity(subject: Generic.subject))
        }
        deployment.peer.script(.post, Google.update, .json("{}"))
        return deployment
    }

    private static func receive(
        _ deployment: Deployment, _ token: IDTokenBuilder = .logout(), as message: EventMessage = .logoutToken
    ) async throws -> EventOutcome {
        try await deployment.flows.events.receive(Secret(token.compact()), as: message, from: Generic.id)
    }

    @Test("A logout ends the sessions of the account, in the second in which it is received")
    func sessions() async throws {
        let deployment = try await Self.deployment()
        let journal = Journal()
        let outcome = try await journal.keep { try await Self.receive(deployment) }
        #expect(outcome.uid == Self.uid && !outcome.keepsSessions)
        let request = try #require(deployment.peer.requests(to: Google.update).first)
        #expect(
            try JSON.parse(request.body)
                == .object(["localId": .string(Self.uid.text), "validSince": .string("1700000000")]))
        #expect(journal.concerned == ["\(Self.uid) at \(Generic.id.text)"])
        let fact = outcome.auditFact
        #expect(fact.operation == .event && fact.event == .sessionEnded && fact.uid == Self.uid)
        // The account keeps its identity.
        #expect(try await deployment.identities(of: Self.uid)?.count == 1)
    }

    @Test("A logout removes the second factor that waits for its confirmation")
    func waitingFactor() async throws {
        let deployment = try await Self.deployment()
        deployment.scriptLookup([Self.uid: [:]])
        _ = try await deployment.flows.accounts.enroll(
            deployment.user(Self.uid), client: DeploymentPlan.app, named: nil)
        let holder = FactorHolder(uid: Self.uid)
        #expect(try await deployment.store.factors(of: holder).factors.count == 1)
        _ = try await Self.receive(deployment)
        #expect(try await deployment.store.factors(of: holder).factors.isEmpty)
    }

    @Test("A person without an account is acknowledged, and makes none")
    func unknown() async throws {
        let deployment = try await Self.deployment(hasAccount: false)
        let outcome = try await Self.receive(deployment)
        #expect(outcome.uid == nil && !outcome.keepsSessions && outcome.kind == .sessionEnded)
        #expect(deployment.peer.requests(to: Google.update).isEmpty)
        #expect(try await deployment.identities(of: Self.uid) == nil)
    }

    @Test("An event that ends no session is acknowledged, and nothing is asked")
    func other() async throws {
        let deployment = try await Self.deployment()
        let token = IDTokenBuilder.logout().settingHeader("typ", to: .string("secevent+jwt"))
        let outcome = try await Self.receive(deployment, token, as: .securityEvent)
        #expect(outcome.kind == .other && outcome.uid == nil)
        #expect(deployment.peer.requests(to: Google.update).isEmpty)
        #expect(deployment.store.spentKinds.contains(.event))
    }

    @Test("A second use, and a token that is refused, end no session")
    func refused() async throws {
        let deployment = try await Self.deployment()
        _ = try await Self.receive(deployment)
        await expectRefusal(Refusal.replayed(.event)) { try await Self.receive(deployment) }
        await expectRefusal(Reason.malformedToken) {
            try await Self.receive(
                deployment, .logout().setting("jti", to: .string("2")).setting("nonce", to: .string("n")))
        }
        #expect(deployment.peer.requests(to: Google.update).count == 1)
    }

    @Test(
        "If Firebase fails, the same message may be sent again",
        arguments: [ScriptedAnswer.status(503), .status(500), .failure(.unreachable(host: "google"))])
    func outage(_ answer: ScriptedAnswer) async throws {
        let deployment = try await Self.deployment()
        deployment.peer.script(.post, Google.update, answer, .json("{}"))
        await expectRefusal(Reason.directoryUnavailable, isUnspent: true) { try await Self.receive(deployment) }
        #expect(!deployment.store.spentKinds.contains(.event))
        #expect(try await Self.receive(deployment).uid == Self.uid)
    }

    @Test("If the store fails before the sessions end, the same message may be sent again", arguments: [1, 2])
    func storeOutage(_ call: Int) async throws {
        let deployment = try await Self.deployment()
        // The first call asks for the record, and the second one finds the account.
        deployment.store.fail(atCall: call)
        await expectRefusal(Reason.storeUnavailable, isUnspent: true) { try await Self.receive(deployment) }
        #expect(deployment.peer.requests(to: Google.update).isEmpty)
        #expect(try await Self.receive(deployment).uid == Self.uid)
    }

    @Test("If the waiting factor cannot be removed, the sessions end, and the message may be sent again")
    func factorStays() async throws {
        let deployment = try await Self.deployment()
        deployment.store.fail(atCall: 3)
        await expectRefusal(Reason.storeUnavailable, isUnspent: true) { try await Self.receive(deployment) }
        #expect(deployment.peer.requests(to: Google.update).count == 1)
        #expect(try await Self.receive(deployment).uid == Self.uid)
    }

    @Test("The record of a message is the last step, so that a crash before it loses no event")
    func order() async throws {
        let deployment = try await Self.deployment()
        let before = deployment.store.calls.count
        _ = try await Self.receive(deployment)
        #expect(
            Array(deployment.store.calls.dropFirst(before))
                == [.isSpent(.event), .holder, .removeWaitingFactor, .spend([.event])])
    }

    @Test("If the record cannot be added, the sessions have ended, and the same message may be sent again")
    func recordFails() async throws {
        let deployment = try await Self.deployment()
        deployment.store.fail(atCall: 4)
        await expectRefusal(Reason.storeUnavailable, isUnspent: true) { try await Self.receive(deployment) }
        #expect(deployment.peer.requests(to: Google.update).count == 1)
        #expect(!deployment.store.spentKinds.contains(.event))
        #expect(try await Self.receive(deployment).uid == Self.uid)
        #expect(deployment.peer.requests(to: Google.update).count == 2)
    }

    @Test("A message that comes again before the first one has ended the sessions ends them too, and is acknowledged")
    func atOnce() async throws {
        let deployment = try await Self.deployment()
        // The provider repeats the message while Firebase answers about the first one.
        let again = ScriptedAnswer { _ throws(TransportError) in
            #expect((try? await Self.receive(deployment))?.uid == Self.uid)
            return OutboundResponse(status: 200, header: [], body: Array("{}".utf8))
        }
        deployment.peer.script(.post, Google.update, again, .json("{}"))
        #expect(try await Self.receive(deployment).uid == Self.uid)
        #expect(deployment.peer.requests(to: Google.update).count == 2)
        #expect(deployment.store.spentKinds.contains(.event))
        await expectRefusal(Refusal.replayed(.event)) { try await Self.receive(deployment) }
    }

    @Test("With the local directory, a service account that may not end sessions is reported, and not the provider")
    func permission() async throws {
        let deployment = try await Self.deployment()
        deployment.peer.script(.post, Google.update, .status(403))
        #expect(try await Self.receive(deployment).keepsSessions)
        let without = try await Self.deployment { $0.asksGoogle = false }
        #expect(try await Self.receive(without).keepsSessions)
    }

    @Test("If Firebase is the directory, a missing role is an outage")
    func permissionOfDirectory() async throws {
        let deployment = try await Self.deployment { $0.rules.directoryIsFirebase = true }
        deployment.peer.script(.post, Google.update, .status(403))
        await expectRefusal(Reason.directoryUnavailable, isUnspent: true) { try await Self.receive(deployment) }
    }

    @Test("The sessions end in each tenant, and a failure in one does not prevent the end in the others")
    func tenants() async throws {
        let deployment = try await Self.deployment {
            $0.clients.append(DeploymentPlan.client(ClientID("tenant-app"), tenantID: "tenant-1"))
        }
        let ofTenant = Google.toolkit + "/v1/projects/project/tenants/tenant-1/accounts:update"
        deployment.peer.script(.post, ofTenant, .json("{}"))
        _ = try await Self.receive(deployment)
        #expect(deployment.peer.requests(to: Google.update).count == 1)
        #expect(deployment.peer.requests(to: ofTenant).count == 1)
        for (url, other) in [(Google.update, ofTenant), (ofTenant, Google.update)] {
            deployment.peer.script(.post, url, .status(503))
            deployment.peer.script(.post, other, .json("{}"))
            let before = deployment.peer.requests(to: other).count
            await expectRefusal(Reason.directoryUnavailable, isUnspent: true) {
                try await Self.receive(deployment, .logout().setting("jti", to: .string(url)))
            }
            #expect(deployment.peer.requests(to: other).count == before + 1)
        }
    }

    @Test("An unknown provider, and one without OpenID Connect, are refused")
    func providers() async throws {
        let deployment = try await Self.deployment()
        let token = Secret(try IDTokenBuilder.logout().compact())
        await expectRefusal(Reason.unknownProvider) {
            try await deployment.flows.events.receive(token, as: .logoutToken, from: ProviderID("unknown.example"))
        }
        await expectRefusal(Refusal.eventsDisabled(.logoutToken)) {
            try await deployment.flows.events.receive(token, as: .logoutToken, from: X.id)
        }
        // The token of one provider ends no session of another one.
        await expectRefusal(Refusal.eventsDisabled(.logoutToken)) {
            try await deployment.flows.events.receive(token, as: .logoutToken, from: Yahoo.id)
        }
    }
}
