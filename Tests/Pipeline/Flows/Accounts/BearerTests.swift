import Accounts
import Firebase
import Fixtures
import Flows
import JOSE
import Jansson
import Minting
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Bearers")
struct BearerTests {
    private static func revocation(_ plan: inout DeploymentPlan) {
        plan.asksGoogle = true
        plan.rules.checksRevocation = true
    }

    @Test("A Firebase ID token of the project is its user")
    func baseline() async throws {
        let deployment = try Deployment()
        let user = try await deployment.user("native")
        #expect(user.uid == "native")
        #expect(user.authenticatedAt == deployment.clock.now - .seconds(100))
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("LK-01: A missing token, and a token for another project, are refused")
    func refused() async throws {
        let deployment = try Deployment()
        await expectRefusal(Reason.idTokenMissing) { try await deployment.flows.accounts.user(nil) }
        let expired = try deployment.bearer("native") {
            $0.claims["auth_time"] = .integer(deployment.clock.now.seconds - 4000)
            $0.claims["iat"] = .integer(deployment.clock.now.seconds - 4000)
            $0.claims["exp"] = .integer(deployment.clock.now.seconds - 400)
        }
        await expectRefusal(FirebaseTokenError.expired.refusal) {
            try await deployment.flows.accounts.user(expired)
        }
    }

    @Test("LK-03: A custom token, and an ID token of a provider, are refused")
    func otherTokens() async throws {
        let deployment = try Deployment()
        let outcome = try await deployment.signIn(.yahooIDToken)
        await expectRefusal(FirebaseTokenError.customToken.refusal) {
            try await deployment.flows.accounts.user(outcome.token.secret)
        }
        let yahoo = Secret(try IDTokenBuilder.yahoo(nonce: "nonce").compact())
        let error = await refusal { try await deployment.flows.accounts.user(yahoo) }
        #expect(error?.reason == .idTokenInvalid)
    }

    @Test("LK-16: A user of a tenant is accepted only for a client of that tenant")
    func tenants() async throws {
        let deployment = try Deployment { plan in
            plan.clients.append(DeploymentPlan.client(ClientID("one"), tenantID: "tenant-1"))
        }
        func user(_ tenant: String?) async throws -> FirebaseUser {
            try await deployment.user("native") {
                $0.claims["firebase"] = IDTokenBuilder.firebaseObject(changing: ["tenant": tenant.map(JSON.string)])
            }
        }
        await expectRefusal(Reason.idTokenInvalid) { try await user("tenant-2") }
        let (plain, tenant) = (try await user(nil), try await user("tenant-1"))
        for (each, client, expected) in [
            (tenant, DeploymentPlan.app, nil), (plain, ClientID("one"), "tenant-1"), (tenant, nil, nil),
        ] as [(FirebaseUser, ClientID?, String?)] {
            let error = FirebaseTokenError.tenantMismatch(found: each.tenantID, expected: [expected])
            #expect(
                error.sentence
                    == "the tenant of the user is \(each.tenantID ?? "none"), and must be \(expected ?? "none")")
            await expectRefusal(error.refusal) {
                try await deployment.flows.accounts.account(of: each, client: client)
            }
        }
        #expect(deployment.store.calls.isEmpty)
        _ = try await deployment.flows.accounts.account(of: tenant, client: ClientID("one"))
        _ = try await deployment.flows.accounts.account(of: plain, client: DeploymentPlan.app)
        _ = try await deployment.flows.accounts.account(of: plain, client: nil)
    }

    @Test("The deployment's tenant is that of clients that name none")
    func ownTenant() async throws {
        let deployment = try Deployment { $0.rules.tenantID = "tenant-1" }
        await expectRefusal(FirebaseTokenError.tenantMismatch(found: nil, expected: ["tenant-1"]).refusal) {
            try await deployment.user("native")
        }
        let user = try await deployment.user("native") {
            $0.claims["firebase"] = IDTokenBuilder.firebaseObject(changing: ["tenant": .string("tenant-1")])
        }
        for client in [DeploymentPlan.app, nil] {
            _ = try await deployment.flows.accounts.account(of: user, client: client)
        }
    }

    @Test("The log says that a user is disabled at Firebase, and not here")
    func disabledAtFirebase() async throws {
        let deployment = try Deployment(Self.revocation)
        deployment.scriptLookup(["native": ["disabled": .bool(true)]])
        let refusal = Refusal.userDisabled.with(finding: "the user of the ID token is disabled at Firebase")
        await expectRefusal(refusal) { try await deployment.user("native") }
    }

    @Test(
        "LK-04: If revocation is checked, the answer of Identity Toolkit decides",
        arguments: [
            ([:], nil), (["validSince": .string("1699999900")], nil),
            (["mfaInfo": .array([.object([:])])], nil),
            (["validSince": .string("1699999901")], .idTokenRevoked), (["disabled": .bool(true)], .userDisabled),
            (nil, .accountGone),
        ] as [([String: JSON]?, Reason?)])
    func standing(_ members: [String: JSON]?, _ error: Reason?) async throws {
        let deployment = try Deployment(Self.revocation)
        deployment.scriptLookup(members.map { ["native": $0] } ?? [:])
        if let error {
            await expectRefusal(error) { try await deployment.user("native") }
        } else {
            #expect(try await deployment.user("native").uid == "native")
        }
        #expect(deployment.peer.requests(to: Google.lookup).count == 1)
        #expect(deployment.store.calls.isEmpty)
    }

    @Test(
        "LK-18: If Identity Toolkit does not respond, the call fails",
        arguments: [
            (ScriptedAnswer.status(503), StoreError(IdentityToolkitError.unavailable(status: 503))),
            (
                .failure(.unreachable(host: "toolkit")),
                StoreError(IdentityToolkitError.unreachable(.unreachable(host: "toolkit")))
            ),
            (.status(429), StoreError(IdentityToolkitError.busy())), (.status(403), .unavailable(.directoryRefused)),
        ])
    func unreachable(_ answer: ScriptedAnswer, _ error: StoreError) async throws {
        let deployment = try Deployment(Self.revocation)
        deployment.peer.script(.post, Google.lookup, answer)
        await expectRefusal(error.refusal) { try await deployment.user("native") }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("LK-04: Without check_revoked Identity Toolkit is not called; for an invalid token it is never called")
    func unasked() async throws {
        let silent = try Deployment { $0.asksGoogle = true }
        _ = try await silent.user("native")
        #expect(silent.peer.requests(to: Google.lookup).isEmpty)
        let deployment = try Deployment(Self.revocation)
        let token = try deployment.bearer("native") { $0.claims["aud"] = .string("another-project") }
        await #expect(throws: (any Error).self) { try await deployment.flows.accounts.user(token) }
        #expect(deployment.peer.requests(to: Google.lookup).isEmpty)
    }
}
