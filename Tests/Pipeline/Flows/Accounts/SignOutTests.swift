import Accounts
import Exchange
import Firebase
import Fixtures
import Flows
import Jansson
import Providers
import SecondFactors
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Signing out")
struct SignOutTests {
    private static let yahooRevocation = Yahoo.issuer + "/oauth2/revoke"
    private static let xRevocation = X.api + "/2/oauth2/revoke"

    private func firebase() throws -> Deployment {
        let deployment = try Deployment {
            $0.asksGoogle = true
            $0.rules.directoryIsFirebase = true
        }
        deployment.scriptLookup(["native": [:]])
        deployment.peer.script(.post, Google.update, .json("{}"))
        return deployment
    }

    @Test("If Firebase is the directory, the sessions of the user end")
    func sessions() async throws {
        let deployment = try firebase()
        let outcome = try await deployment.flows.accounts.signOut(
            deployment.user("native", signedIn: 3000), client: nil, revoking: nil)
        #expect(outcome.revokesSessions)
        #expect(!outcome.revokesToken)
        let request = try #require(deployment.peer.requests(to: Google.update).first)
        #expect(
            try JSON.parse(request.body)
                == .object(["localId": .string("native"), "validSince": .string("1700000000")]))
    }

    @Test("Signing out removes a factor that waits for its confirmation, also if the sessions cannot be ended")
    func waitingFactor() async throws {
        for (isFirebase, answer) in [(false, ScriptedAnswer.json("{}")), (true, .json("{}")), (true, .status(503))] {
            let deployment = try Deployment {
                $0.asksGoogle = true
                $0.rules.directoryIsFirebase = isFirebase
            }
            deployment.scriptLookup(["native": [:]])
            deployment.peer.script(.post, Google.update, answer)
            let user = try await deployment.user("native")
            _ = try await deployment.flows.accounts.enroll(user, client: DeploymentPlan.app, named: nil)
            let holder = FactorHolder(uid: "native")
            #expect(try await deployment.store.factors(of: holder).factors.count == 1)
            _ = try? await deployment.flows.accounts.signOut(user, client: nil, revoking: nil)
            #expect(try await deployment.store.factors(of: holder).factors.isEmpty)
        }
    }

    @Test("If the waiting factor cannot be removed, the sessions end, and the call fails")
    func waitingFactorStays() async throws {
        let deployment = try firebase()
        let user = try await deployment.user("native")
        _ = try await deployment.flows.accounts.account(of: user, client: nil)
        deployment.store.fail(atCall: 2)
        let error = StoreError.unavailable(.busy).refusal.spent
        await expectRefusal(error) {
            try await deployment.flows.accounts.signOut(user, client: nil, revoking: nil)
        }
        #expect(deployment.store.calls.last == .removeWaitingFactor)
        #expect(deployment.peer.requests(to: Google.update).count == 1)
    }

    @Test("With the local directory they end as well, unless the service account may not end them")
    func local() async throws {
        for (status, isRevoked) in [(200, true), (403, false)] {
            let deployment = try Deployment { $0.asksGoogle = true }
            deployment.scriptLookup(["native": [:]])
            deployment.peer.script(.post, Google.update, .json("{}", status: status))
            let outcome = try await deployment.flows.accounts.signOut(
                deployment.user("native"), client: DeploymentPlan.app, revoking: nil)
            #expect(outcome.revokesSessions == isRevoked)
            #expect(!outcome.revokesToken)
            #expect(deployment.peer.requests(to: Google.update).count == 1)
        }
    }

    @Test("Without Identity Toolkit no session ends, and the response says so")
    func unasked() async throws {
        let deployment = try Deployment()
        let outcome = try await deployment.flows.accounts.signOut(
            deployment.user("native"), client: DeploymentPlan.app, revoking: nil)
        #expect(!outcome.revokesSessions && !outcome.revokesToken)
    }

    @Test("A user who was deleted at Firebase has no session left")
    func deleted() async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        deployment.scriptLookup([:])
        deployment.peer.script(
            .post, Google.update, .json(#"{"error":{"code":400,"message":"USER_NOT_FOUND"}}"#, status: 400))
        let outcome = try await deployment.flows.accounts.signOut(
            deployment.user("native"), client: nil, revoking: nil)
        #expect(outcome.revokesSessions)
    }

    @Test("A provider's token ends there as well", arguments: [(Yahoo.id, yahooRevocation), (X.id, xRevocation)])
    func token(_ provider: ProviderID, _ endpoint: String) async throws {
        let deployment = try firebase()
        deployment.peer.script(.post, endpoint, .status(200))
        let outcome = try await deployment.flows.accounts.signOut(
            deployment.user("native"), client: nil, revoking: (provider, Secret("provider-token")))
        #expect(outcome.revokesSessions)
        #expect(outcome.revokesToken)
        let request = try #require(deployment.peer.requests(to: endpoint).first)
        #expect(try request.form["token"] == "provider-token")
        #expect(request[field: "Authorization"]?.hasPrefix("Basic ") == true)
    }

    @Test(
        "A token is revoked without an end of the sessions",
        arguments: [(Yahoo.id, yahooRevocation), (X.id, xRevocation)])
    func tokenOnly(_ provider: ProviderID, _ endpoint: String) async throws {
        let deployment = try firebase()
        deployment.peer.script(.post, endpoint, .status(200))
        let outcome = try await deployment.flows.accounts.revoke(
            deployment.user("native"),
            RevocationRequest(client: DeploymentPlan.app, provider: provider, token: Secret("provider-token")))
        #expect(outcome.auditFact.operation == .revokeToken && outcome.auditFact.provider == provider)
        let request = try #require(deployment.peer.requests(to: endpoint).first)
        #expect(try request.form["token"] == "provider-token")
        #expect(deployment.peer.requests(to: Google.update).isEmpty)
    }

    @Test("A revocation that the provider does not confirm fails, and may be repeated")
    func tokenOnlyFails() async throws {
        let deployment = try firebase()
        let user = try await deployment.user("native")
        let request = RevocationRequest(client: DeploymentPlan.app, provider: Yahoo.id, token: Secret("token"))
        deployment.peer.script(.post, Self.yahooRevocation, .status(503))
        await expectRefusal(Reason.providerError) { try await deployment.flows.accounts.revoke(user, request) }
        deployment.peer.script(.post, Self.yahooRevocation, .status(200))
        _ = try await deployment.flows.accounts.revoke(user, request)
    }

    @Test("A provider that cannot revoke tokens, or that the client may not use, is refused")
    func tokenOnlyUnsupported() async throws {
        let deployment = try firebase()
        let user = try await deployment.user("native")
        await expectRefusal(Reason.parameterNotAllowed) {
            try await deployment.flows.accounts.revoke(
                user, RevocationRequest(client: DeploymentPlan.app, provider: Generic.id, token: Secret("token")))
        }
        await expectRefusal(Reason.unknownProvider) {
            try await deployment.flows.accounts.revoke(
                user,
                RevocationRequest(
                    client: DeploymentPlan.app, provider: ProviderID("unknown.example"), token: Secret("token")))
        }
    }

    @Test("An unknown provider, or one without a revocation endpoint, is reported before any session ends")
    func unsupported() async throws {
        let deployment = try firebase()
        let user = try await deployment.user("native")
        await expectRefusal(Reason.unknownProvider) {
            try await deployment.flows.accounts.signOut(
                user, client: nil, revoking: (ProviderID("unknown.example"), Secret("token")))
        }
        let refusal = Refusal(
            .parameterNotAllowed,
            "This provider has no revocation endpoint. Omit provider and token, or this request.",
            finding: "neither endpoints.revocation nor the metadata of the provider names a revocation endpoint",
            .parameter("token"))
        await expectRefusal(refusal) {
            try await deployment.flows.accounts.signOut(user, client: nil, revoking: (Generic.id, Secret("token")))
        }
        #expect(deployment.peer.requests(to: Google.update).isEmpty)
    }

    @Test("A refusal or an outage of the provider is reported, and does not prevent the end of the sessions")
    func refused() async throws {
        let deployment = try firebase()
        let user = try await deployment.user("native")
        for (answer, failure) in [
            (ScriptedAnswer.status(503), ProviderFailure.unavailable(retryAfter: nil)),
            (.status(400), .refusedProfile(.revocation, status: 400)),
            (.failure(.unreachable(host: "yahoo")), .noAnswer(.unreachable(host: "yahoo"))),
        ] {
            deployment.peer.script(.post, Self.yahooRevocation, answer)
            await expectRefusal(failure.refusal.spent) {
                try await deployment.flows.accounts.signOut(user, client: nil, revoking: (Yahoo.id, Secret("token")))
            }
        }
        #expect(deployment.peer.requests(to: Google.update).count == 3)
    }

    @Test("If no session ended, the same request may be sent again")
    func again() async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        deployment.scriptLookup(["native": [:]])
        let user = try await deployment.user("native")
        deployment.peer.script(.post, Google.update, .status(403))
        deployment.peer.script(.post, Self.yahooRevocation, .status(503))
        await expectRefusal(ProviderFailure.unavailable(retryAfter: nil).refusal.unspent) {
            try await deployment.flows.accounts.signOut(user, client: nil, revoking: (Yahoo.id, Secret("token")))
        }
    }

    @Test("A discovery document that cannot be fetched does not prevent the end of the sessions")
    func undiscovered() async throws {
        let deployment = try firebase()
        let user = try await deployment.user("native")
        deployment.peer.script(.get, Generic.metadata, .status(503))
        await expectRefusal(ProviderFailure.document(.status(503)).refusal.spent) {
            try await deployment.flows.accounts.signOut(user, client: nil, revoking: (Generic.id, Secret("token")))
        }
        #expect(deployment.peer.requests(to: Google.update).count == 1)
    }

    @Test("If Google does not respond, the response does not say that the sessions ended")
    func unreachable() async throws {
        let deployment = try firebase()
        deployment.peer.script(.post, Google.update, .status(403))
        let user = try await deployment.user("native")
        await expectRefusal(StoreError.unavailable(.directoryRefused).refusal) {
            try await deployment.flows.accounts.signOut(user, client: nil, revoking: nil)
        }
    }

    @Test("Whose account is gone has nothing to sign out of")
    func retired() async throws {
        let deployment = try firebase()
        let user = try await deployment.user("native")
        _ = try await deployment.store.retire(uid: "native", at: deployment.clock.now)
        await expectRefusal(Refusal.accountGone) {
            try await deployment.flows.accounts.signOut(user, client: nil, revoking: (Yahoo.id, Secret("token")))
        }
        #expect(deployment.peer.requests(to: Self.yahooRevocation).isEmpty)
    }
}
