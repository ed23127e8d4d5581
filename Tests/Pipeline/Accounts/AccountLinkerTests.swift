import Accounts
import Fixtures
import JOSE
import Jansson
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Account linker")
struct AccountLinkerTests {
    private let deployment: Deployment
    private let linker: AccountLinker

    init() throws {
        deployment = try Deployment()
        linker = AccountLinker(directory: deployment.store, time: deployment.clock.source)
    }

    private func caller(_ uid: UID, _ change: (inout IDTokenBuilder) -> Void = { _ in }) async throws -> Caller {
        try await linker.caller(deployment.user(uid, change))
    }

    @Test("Finding a caller adopts no user, and an adopted account gets the e-mail address only if it is verified")
    func adoptedEmail() async throws {
        let unverified = try await caller("unverified")
        #expect(try await deployment.store.account(uid: "unverified") == nil)
        try await linker.adopt(unverified)
        try await linker.adopt(caller("verified") { $0.claims["email_verified"] = .bool(true) })
        #expect(try await deployment.store.account(uid: "unverified")?.email == nil)
        #expect(try await deployment.store.account(uid: "verified")?.email == EmailAddress("ann@example.org"))
    }

    @Test("A linked identity is stored with the details of its provider")
    func details() async throws {
        deployment.clock.advance(by: .seconds(50))
        let account = try await linker.link(
            deployment.yahooIdentity { $0.claims["email_verified"] = .bool(false) }, to: caller("native"))
        let identity = try #require(account.identities.first)
        #expect(identity.identity == ExternalIdentity(provider: "yahoo.com", subject: "\(Yahoo.subject)"))
        #expect(identity.details.email == "ann@example.org")
        #expect(identity.details.name == "Ann Example")
        #expect(identity.linkedAt == deployment.clock.now)
        // LK-14: the address is kept only to be shown.
        #expect(account.email == nil)
    }

    @Test("The account gets the verified address of a linked identity")
    func email() async throws {
        let account = try await linker.link(deployment.yahooIdentity(), to: caller("native"))
        #expect(account.email == EmailAddress("ann@example.org"))
    }

    @Test("A user who was never adopted has nothing to unlink, and is not adopted by the attempt")
    func unknown() async throws {
        await expectRefusal(Refusal.notLinked) { try await linker.unlink(X.id, from: caller("native")) }
        #expect(try await deployment.store.account(uid: "native") == nil)
    }

    @Test("An account that was deleted meanwhile is not adopted either")
    func retiredBeforeAdoption() async throws {
        let gone = try await caller("gone")
        _ = try await deployment.store.retire(uid: "gone", at: deployment.clock.now)
        await expectRefusal(Refusal.accountGone) { try await linker.link(deployment.xIdentity(), to: gone) }
        #expect(try await deployment.identities(of: "gone") == nil)
    }

    @Test("An account that was deleted meanwhile cannot link, unlink or merge")
    func retiredMeanwhile() async throws {
        for uid: UID in ["gone", "kept"] { try await linker.adopt(caller(uid)) }
        let (gone, kept) = (try await caller("gone"), try await caller("kept"))
        _ = try await deployment.store.retire(uid: "gone", at: deployment.clock.now)
        await expectRefusal(Refusal.accountGone) { try await linker.link(deployment.xIdentity(), to: gone) }
        await expectRefusal(Refusal.accountGone) { try await linker.unlink(X.id, from: gone) }
        await expectRefusal(Refusal.userMismatch) { try await linker.merge(kept.account, into: gone) }
        await expectRefusal(Refusal.userMismatch) { try await linker.merge(gone.account, into: kept) }
        #expect(try await deployment.identities(of: "gone") == nil)
    }

    @Test("An account that got a second factor meanwhile is not changed")
    func factorMeanwhile() async throws {
        let caller = try await caller("native")
        _ = try await linker.link(deployment.yahooIdentity(), to: caller)
        _ = try await linker.link(deployment.xIdentity(), to: caller)
        let factor = EnrolledFactor(
            id: "factor", name: nil, secret: "sealed", createdAt: deployment.clock.now,
            expiresAt: deployment.clock.now + .seconds(60))
        try #require(try await deployment.store.keep(factor, expecting: .unprotected("native")) == .done)
        let confirmed = try await deployment.store.confirm(
            "factor", expecting: .unprotected("native"), step: 0, recoveryCodes: [], at: deployment.clock.now)
        try #require(confirmed == .done)
        await expectRefusal(Refusal.factorNotProven) {
            try await linker.link(deployment.xIdentity(), to: caller)
        }
        await expectRefusal(Refusal.factorNotProven) { try await linker.unlink(Yahoo.id, from: caller) }
        await expectRefusal(Refusal.factorNotProven) { try await linker.remove(caller) }
        #expect(try await deployment.identities(of: "native")?.count == 2)
    }

    @Test("Canonically equivalent uids are different accounts")
    func normalForms() async throws {
        let composed = try await caller("caf\u{E9}")
        let decomposed = try await caller("cafe\u{301}")
        _ = try await linker.link(deployment.xIdentity(), to: composed)
        await expectRefusal(Refusal.userMismatch) {
            try await linker.confirm(deployment.xIdentity(), of: decomposed)
        }
        #expect(try await linker.confirm(deployment.xIdentity(), of: composed).uid.text.unicodeScalars.count == 4)
        // It is refused for its way to sign in, and not as the caller's own account.
        await expectRefusal(Refusal.otherSignInMethod) { try await linker.merge(composed.account, into: decomposed) }
    }

    @Test("A refusal of the directory has its own error, which says that nothing was written")
    func refusals() async throws {
        let caller = try await caller("native")
        _ = try await linker.link(deployment.yahooIdentity(), to: caller)
        #expect(try await deployment.store.setDisabled(true, uid: "native"))
        await expectRefusal(Refusal.userDisabled) { try await linker.link(deployment.xIdentity(), to: caller) }
        await expectRefusal(Refusal.userDisabled) {
            try await linker.confirm(deployment.yahooIdentity(), of: caller)
        }
        await expectRefusal(Refusal.userDisabled) { try await self.caller("native") }
        #expect(Refusal.userDisabled.isUnspent)
        #expect(StoreError.unavailable(.busy).refusal.isUnspent)
        #expect(!StoreError.outcomeUnknown(.busy).refusal.isUnspent)
    }

    @Test("A failing store returns no account")
    func faults() async throws {
        let error = StoreError.unavailable(.busy)
        deployment.store.fail(atCall: 1)
        await expectRefusal(error.refusal) { try await caller("native") }
        let (native, other) = (try await caller("native"), try await caller("other"))
        let identity = try await deployment.yahooIdentity()
        deployment.store.fail(atCall: 1, lasting: true)
        await expectRefusal(error.refusal) { try await linker.link(identity, to: native) }
        await expectRefusal(error.refusal) { try await linker.unlink(Yahoo.id, from: native) }
        await expectRefusal(error.refusal) { try await linker.confirm(identity, of: native) }
        await expectRefusal(error.refusal) { try await linker.remove(native) }
        await expectRefusal(error.refusal) { try await linker.holder(of: identity, in: nil) }
        await expectRefusal(error.refusal) { try await linker.merge(other.account, into: native) }
    }
}

/// Changes of accounts that have no second factor.
extension AccountLinker {
    fileprivate func link(_ identity: VerifiedIdentity, to caller: Caller) async throws -> StoredAccount {
        try await link(identity, to: caller, expecting: .unprotected(caller.account.uid))
    }

    fileprivate func unlink(
        _ provider: ProviderID, from caller: Caller
    ) async throws -> StoredAccount {
        try await unlink(provider, from: caller, expecting: .unprotected(caller.account.uid))
    }

    fileprivate func merge(
        _ other: StoredAccount, into caller: Caller
    ) async throws -> StoredAccount {
        let expectation = MergeExpectation(
            going: .unprotected(other.uid), staying: .unprotected(caller.account.uid))
        return try await merge(other, into: caller, expecting: expectation)
    }

    fileprivate func remove(_ caller: Caller) async throws {
        try await remove(caller, expecting: .unprotected(caller.account.uid))
    }
}

extension AccountExpectation {
    fileprivate static func unprotected(_ uid: UID) -> Self {
        Self(uid: uid, holder: FactorHolder(uid: uid), provesFactor: false)
    }
}
