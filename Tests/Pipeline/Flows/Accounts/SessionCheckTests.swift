import Accounts
import Firebase
import Flows
import JOSE
import Jansson
import SecondFactors
import Standards
import Stores
import Support
import Testing
import Transport

/// Calls that change an account ask whether the session still holds.
@Suite("Sessions of calls that change an account")
struct SessionCheckTests {
    /// A call of a user with an account of Yahoo's identity and a confirmed second factor.
    enum Change: String, CaseIterable, Sendable {
        case link, unlink, reauthenticate, merge, delete, begin, confirm, removeFactor, signOut

        func make(_ user: FirebaseUser, _ setting: Setting) async throws {
            let (deployment, accounts) = (setting.deployment, setting.deployment.flows.accounts)
            let app = DeploymentPlan.app
            switch self {
            case .link: _ = try await accounts.link(user, deployment.proof(.genericCode, of: user))
            case .unlink: _ = try await accounts.unlink(Yahoo.id, from: user, client: app)
            case .reauthenticate:
                _ = try await accounts.reauthenticate(
                    user, deployment.proof(.yahooIDToken, purpose: .reauthenticate, of: user))
            case .merge:
                _ = try await accounts.merge(
                    user, MergeRequest(client: app, proof: .idToken(try deployment.bearer(Person.xUID))))
            case .delete: _ = try await accounts.remove(user, client: app)
            case .begin: _ = try await accounts.enroll(user, client: app, named: nil)
            case .confirm:
                _ = try await accounts.confirm(
                    setting.waiting.id, of: user, client: app, by: Secret(setting.waiting.code()))
            case .removeFactor:
                _ = try await accounts.remove(
                    setting.confirmed.id, of: user, client: app,
                    by: try #require(FactorCode(typed: setting.confirmed.code())))
            case .signOut: _ = try await accounts.signOut(user, client: app, revoking: nil)
            }
        }

        /// Whether an old session may make the call.
        var mayBeOld: Bool { self == .reauthenticate || self == .signOut }

        /// Whether a session that has not proven the second factor may make the call.
        var needsNoProof: Bool { self == .removeFactor || self == .signOut }
    }

    /// A deployment with an account that has a confirmed and a waiting factor, and another account.
    struct Setting {
        let deployment: Deployment
        let confirmed: Authenticator
        let waiting: Authenticator

        init(_ change: (inout DeploymentPlan) -> Void = { _ in }) async throws {
            deployment = try Deployment { plan in
                plan.asksGoogle = true
                change(&plan)
            }
            deployment.peer.script(.post, Google.update, .json("{}"))
            deployment.peer.script(.post, Google.delete, .json("{}"))
            deployment.scriptLookup([Person.yahooUID: [:], Person.xUID: [:]])
            _ = try await deployment.signIn(.yahooIDToken)
            _ = try await deployment.signIn(.xPair)
            confirmed = try await deployment.enroll(Person.yahooUID)
            let begun = try await deployment.flows.accounts.enroll(
                try await deployment.proven(Person.yahooUID), client: DeploymentPlan.app, named: nil)
            waiting = Authenticator(begun.id, secret: begun.secret.secretText, time: deployment.clock.source)
        }

        func state() async throws -> [StoredAccount?] {
            [
                try await deployment.store.account(uid: Person.yahooUID),
                try await deployment.store.account(uid: Person.xUID),
            ]
        }

        func factors() async throws -> FactorsOfAccount {
            try await deployment.store.factors(of: FactorHolder(uid: Person.yahooUID))
        }

        /// Expects that a call is refused, and that it changes neither the accounts nor the factors.
        func expectRefusal(
            _ reason: Reason, of change: Change, by user: FirebaseUser,
            _ sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let (accounts, factors) = (try await state(), try await factors())
            #expect(
                await refusal { try await change.make(user, self) }?.reason == reason, sourceLocation: sourceLocation)
            #expect(try await state() == accounts, sourceLocation: sourceLocation)
            #expect(try await self.factors() == factors, sourceLocation: sourceLocation)
        }
    }

    @Test("A session that was ended changes nothing, whatever check_revoked says", arguments: Change.allCases)
    func ended(_ change: Change) async throws {
        for checksRevocation in [false, true] {
            let setting = try await Setting { $0.rules.checksRevocation = checksRevocation }
            let deployment = setting.deployment
            let user = try await deployment.proven(Person.yahooUID)
            let end = JSON.string(String(deployment.clock.now.seconds))
            deployment.scriptLookup([Person.yahooUID: ["validSince": end], Person.xUID: [:]])
            let before = deployment.peer.requests(to: Google.lookup).count
            try await setting.expectRefusal(.idTokenRevoked, of: change, by: user)
            #expect(deployment.peer.requests(to: Google.lookup).count == before + 1)
            #expect(deployment.peer.requests(to: Google.update).isEmpty)
        }
    }

    @Test(
        "The users of a service account that may only sign are not asked for, and without answers no call succeeds",
        arguments: Change.allCases)
    func silence(_ change: Change) async throws {
        let setting = try await Setting()
        let user = try await setting.deployment.proven(Person.yahooUID)
        setting.deployment.peer.script(.post, Google.lookup, .status(503))
        try await setting.expectRefusal(
            .directoryUnavailable, of: change, by: user)
        setting.deployment.peer.script(
            .post, Google.lookup, .json(#"{"error": {"code": 403, "status": "PERMISSION_DENIED"}}"#, status: 403))
        // An account with a single identity keeps it.
        if change == .unlink {
            _ = try await setting.deployment.store.link(
                .x("other"), to: Person.yahooUID, at: setting.deployment.clock.now)
        }
        try await change.make(user, setting)
    }

    @Test("A session that is not recent changes nothing", arguments: Change.allCases.filter { !$0.mayBeOld })
    func old(_ change: Change) async throws {
        let setting = try await Setting()
        let deployment = setting.deployment
        let old = try await deployment.proven(Person.yahooUID) {
            $0.claims["auth_time"] = .integer(deployment.clock.now.seconds - 301)
        }
        let before = deployment.peer.requests(to: Google.lookup).count
        try await setting.expectRefusal(.requiresRecentLogin, of: change, by: old)
        // An old session does not make the server ask Google.
        #expect(deployment.peer.requests(to: Google.lookup).count == before)
    }

    @Test("A session that is not recent does not read the factors")
    func factorsOfOld() async throws {
        let setting = try await Setting()
        let (deployment, accounts) = (setting.deployment, setting.deployment.flows.accounts)
        let old = try await deployment.proven(Person.yahooUID) {
            $0.claims["auth_time"] = .integer(deployment.clock.now.seconds - 301)
        }
        let recent = try await deployment.proven(Person.yahooUID)
        #expect(try await accounts.factors(of: recent, client: DeploymentPlan.app) == setting.factors())
        await expectRefusal(Reason.requiresRecentLogin) {
            try await accounts.factors(of: old, client: DeploymentPlan.app)
        }
    }

    @Test(
        "A session that has not proven the second factor changes nothing: it cannot replace the recovery codes either",
        arguments: Change.allCases.filter { !$0.needsNoProof })
    func unproven(_ change: Change) async throws {
        let setting = try await Setting()
        let user = try await setting.deployment.user(Person.yahooUID)
        try await setting.expectRefusal(
            .secondFactorRequired, of: change, by: user)
        let wrong = try await setting.deployment.user(Person.yahooUID) {
            $0.claims["second_factor"] = .string("totp")
            $0.claims["second_factor_time"] = .integer(setting.deployment.clock.now.seconds - 301)
        }
        try await setting.expectRefusal(.secondFactorRequired, of: change, by: wrong)
    }

    @Test("A session that was ended reads its account, unless check_revoked forbids it")
    func reading() async throws {
        for checksRevocation in [false, true] {
            let setting = try await Setting { $0.rules.checksRevocation = checksRevocation }
            let deployment = setting.deployment
            let accounts = deployment.flows.accounts
            deployment.scriptLookup([
                Person.yahooUID: ["validSince": .string(String(deployment.clock.now.seconds))]
            ])
            let bearer = try deployment.bearer(Person.yahooUID)
            guard !checksRevocation else {
                await expectRefusal(Reason.idTokenRevoked) { try await accounts.user(bearer) }
                continue
            }
            let user = try await accounts.user(bearer)
            _ = try await accounts.account(of: user, client: nil)
            #expect(try await accounts.factors(of: user, client: nil).confirmed.count == 1)
        }
    }
}

extension IncomingIdentity {
    fileprivate static func x(_ subject: String) -> Self {
        Self(identity: ExternalIdentity(provider: X.id, subject: "\(subject)"), details: IdentityDetails(), email: nil)
    }
}

extension Deployment {
    /// The user of a token whose session has proven a second factor, for a call that changes the account.
    func proven(
        _ uid: UID, _ change: (inout IDTokenBuilder) -> Void = { _ in }
    ) async throws -> FirebaseUser {
        let bearer = try bearer(uid) {
            $0.claims["second_factor"] = .string("totp")
            $0.claims["second_factor_time"] = .integer(clock.now.seconds)
            change(&$0)
        }
        return try await flows.accounts.user(bearer, isForChange: true)
    }
}
