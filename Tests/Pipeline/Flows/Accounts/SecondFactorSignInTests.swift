import Accounts
import Fixtures
import Flows
import JOSE
import Jansson
import Minting
import Providers
import SecondFactors
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Sign-ins with a second factor")
struct SecondFactorSignInTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    /// Signs in a person whose account has a second factor, up to the challenge.
    private func challenge(_ way: Way = .yahooIDToken) async throws -> (Authenticator, Secret) {
        _ = try await deployment.signIn(way)
        let authenticator = try await deployment.enroll(way.uid)
        return (authenticator, try await deployment.challenge(way))
    }

    private func claims(_ outcome: SignInOutcome) throws -> JSON? {
        try MintedToken(outcome.token.secret).payload["claims"]
    }

    // MARK: A challenge and its code

    @Test("A sign-in of an account with a second factor ends only with a code", arguments: Way.allCases)
    func baseline(_ way: Way) async throws {
        let (authenticator, handle) = try await challenge(way)
        let outcome = try await deployment.prove(authenticator.code(), handle)
        #expect(outcome.account.uid == way.uid && !outcome.account.isNew)
        #expect(outcome.account.identity?.audienceProof == way.proof)
        let claims = try claims(outcome)
        #expect(claims?["second_factor"] == .string("totp"))
        #expect(claims?["second_factor_time"] == .integer(deployment.clock.now.seconds))
        #expect(outcome.providerTokens != nil || way == .yahooIDToken)
    }

    @Test("A recovery code replaces the authenticator application once")
    func recoveryCode() async throws {
        let (authenticator, handle) = try await challenge()
        let code = authenticator.recoveryCodes[3].secretText
        let outcome = try await deployment.prove(code, handle)
        #expect(try claims(outcome)?["second_factor"] == .string("recovery_code"))
        #expect(Set(authenticator.recoveryCodes.map(\.secretText)).count == 10)
        let again = try await deployment.challenge(.yahooIDToken)
        await expectRefusal(Refusal.invalidCode) {
            try await deployment.prove(code, again)
        }
    }

    @Test("A code is used once, also for another sign-in, and the answer is that to a wrong code")
    func usedCode() async throws {
        let (authenticator, handle) = try await challenge()
        let code = authenticator.code()
        _ = try await deployment.prove(code, handle)
        let next = try await deployment.challenge(.yahooIDToken)
        for code in [code, authenticator.code(after: -1), authenticator.wrongCode(), "AAAA-AAAA-AAAA-AAAA"] {
            await expectRefusal(Refusal.invalidCode) {
                try await deployment.prove(code, next)
            }
        }
        _ = try await deployment.prove(authenticator.code(after: 1), next)
    }

    @Test("The code that confirmed a factor does not sign in")
    func confirmationCode() async throws {
        _ = try await deployment.signIn(.yahooIDToken)
        let user = try await deployment.user(Person.yahooUID)
        let begun = try await deployment.flows.accounts.enroll(user, client: DeploymentPlan.app, named: nil)
        let authenticator = Authenticator(
            begun.id, secret: begun.secret.secretText, time: deployment.clock.source)
        let code = authenticator.code()
        _ = try await deployment.flows.accounts.confirm(
            begun.id, of: user, client: DeploymentPlan.app, by: Secret(code))
        let handle = try await deployment.challenge(.yahooIDToken)
        await expectRefusal(Refusal.invalidCode) {
            try await deployment.prove(code, handle)
        }
        _ = try await deployment.prove(authenticator.code(after: 1), handle)
    }

    @Test("A factor that is not confirmed is not asked for, and does not sign in")
    func unconfirmed() async throws {
        _ = try await deployment.signIn(.yahooIDToken)
        let user = try await deployment.user(Person.yahooUID)
        _ = try await deployment.flows.accounts.enroll(user, client: DeploymentPlan.app, named: nil)
        let outcome = try await deployment.signIn(.yahooIDToken)
        #expect(try claims(outcome)?["second_factor"] == nil)
    }

    @Test("A code of another account is a wrong one")
    func otherAccount() async throws {
        let (_, handle) = try await challenge(.yahooIDToken)
        _ = try await deployment.signIn(.xPair)
        let other = try await deployment.enroll(Person.xUID)
        for code in [other.code(), other.recoveryCodes[0].secretText] {
            await expectRefusal(Refusal.invalidCode) {
                try await deployment.prove(code, handle)
            }
        }
    }

    // MARK: The handle

    @Test("A handle signs in once")
    func handleOnce() async throws {
        let (authenticator, handle) = try await challenge()
        _ = try await deployment.prove(authenticator.code(), handle)
        await expectRefusal(Refusal.replayed(.pendingCredential)) {
            try await deployment.prove(authenticator.code(after: 1), handle)
        }
    }

    @Test("A handle is valid for five minutes")
    func handleLifetime() async throws {
        let (authenticator, handle) = try await challenge()
        deployment.clock.advance(by: .seconds(299))
        await expectRefusal(Refusal.invalidCode) {
            try await deployment.prove(authenticator.wrongCode(), handle)
        }
        deployment.clock.advance(by: .seconds(1))
        #expect(Refusal.pendingCredentialExpired.description.contains("(five for a second factor)"))
        await expectRefusal(Refusal.pendingCredentialExpired) {
            try await deployment.prove(authenticator.code(), handle)
        }
    }

    @Test("A handle belongs to its client")
    func handleClient() async throws {
        let (authenticator, handle) = try await challenge()
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await deployment.prove(authenticator.code(), handle, client: DeploymentPlan.otherApp)
        }
        _ = try await deployment.prove(authenticator.code(), handle)
    }

    @Test("A handle is for this endpoint only, and no other handle is for it")
    func handleUse() async throws {
        let (authenticator, handle) = try await challenge(.yahooIDToken)
        await expectRefusal(Refusal.otherUse) {
            try await deployment.exchange(.pending(handle), of: Yahoo.id)
        }
        let user = try await deployment.user("native")
        await expectRefusal(Refusal.otherUse) {
            try await deployment.flows.accounts.link(user, .pending(handle, of: Yahoo.id))
        }
        await expectRefusal(Refusal.otherUse) {
            try await deployment.flows.accounts.merge(
                user, MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(handle)))
        }
        let conflict = try await deployment.linkConflict(.yahooIDToken, to: "native")
        await expectRefusal(Refusal.otherUse) {
            try await deployment.prove(authenticator.code(), conflict.pendingCredential)
        }
        _ = try await deployment.prove(authenticator.code(), handle)
    }

    @Test("If the identity has moved to another account, the handle is expired")
    func moved() async throws {
        let (authenticator, handle) = try await challenge(.yahooIDToken)
        #expect(try await deployment.store.retire(uid: Person.yahooUID, at: deployment.clock.now))
        await #expect(throws: (any Error).self) { try await deployment.prove(authenticator.code(), handle) }
        _ = try await deployment.signIn(.yahooIDToken)
    }

    // MARK: Limits

    @Test("After five wrong codes the account is locked for 15 minutes, for each handle and for the right code")
    func lock() async throws {
        let (authenticator, handle) = try await challenge()
        let other = try await deployment.challenge(.yahooIDToken)
        for _ in 0..<5 {
            await expectRefusal(Refusal.invalidCode) {
                try await deployment.prove(authenticator.wrongCode(), handle)
            }
        }
        for handle in [handle, other] {
            await expectRefusal(Reason.secondFactorLocked, isUnspent: false) {
                try await deployment.prove(authenticator.code(), handle)
            }
        }
        deployment.clock.advance(by: .seconds(899))
        let later = try await deployment.challenge(.yahooIDToken)
        deployment.clock.advance(by: .seconds(-1))
        await expectRefusal(Reason.secondFactorLocked, isUnspent: false) {
            try await deployment.prove(authenticator.code(), later)
        }
        deployment.clock.advance(by: .seconds(1))
        _ = try await deployment.prove(authenticator.code(), later)
    }

    @Test("A handle ends after five wrong codes, also if the account is unlocked")
    func handleTries() async throws {
        let (authenticator, handle) = try await challenge()
        for _ in 0..<5 { _ = try? await deployment.prove(authenticator.wrongCode(), handle) }
        try await deployment.store.unlockFactors(of: FactorHolder(uid: Person.yahooUID))
        await expectRefusal(Reason.expired, isUnspent: false) {
            try await deployment.prove(authenticator.code(), handle)
        }
    }

    @Test("A right code after four wrong ones sets the number of tries to zero")
    func success() async throws {
        let (authenticator, first) = try await challenge()
        var handle = first
        for _ in 0..<3 {
            for _ in 0..<4 { _ = try? await deployment.prove(authenticator.wrongCode(), handle) }
            _ = try await deployment.prove(authenticator.code(), handle)
            deployment.clock.advance(by: .seconds(30))
            handle = try await deployment.challenge(.yahooIDToken)
        }
    }

    // MARK: Failures

    @Test("If nothing was minted, handle and code are valid again")
    func givenBack() async throws {
        let deployment = try Deployment { plan in
            plan.claimTemplates = ["mail": [.text(String(repeating: "a", count: 940))]]
        }
        _ = try await deployment.signIn(.yahooIDToken)
        let authenticator = try await deployment.enroll(Person.yahooUID)
        let handle = try await deployment.challenge(.yahooIDToken)
        for _ in 0..<2 {
            let failure = await refusal {
                try await deployment.prove(authenticator.code(), handle)
            }
            #expect(failure?.cause is MintingError)
            #expect(failure?.isUnspent == true)
        }
    }

    /// The calls of the store that a code leads to, in their order.
    private static let storeCalls: [StoreCall] = [
        .findPendingCredential, .tryFactor, .useFactor, .redeemPendingCredential, .holder, .account,
    ]

    @Test("If a call of the store fails, handle and code stay valid", arguments: storeCalls.indices)
    func storeFails(_ index: Int) async throws {
        let (authenticator, handle) = try await challenge()
        let before = deployment.store.calls.count
        deployment.store.fail(atCall: index + 1)
        await #expect(throws: (any Error).self) { try await deployment.prove(authenticator.code(), handle) }
        #expect(Array(deployment.store.calls[before...].prefix(index + 1)) == Array(Self.storeCalls.prefix(index + 1)))
        _ = try await deployment.prove(authenticator.code(), handle)
    }
}
