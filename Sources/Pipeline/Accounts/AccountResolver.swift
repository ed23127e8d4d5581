package import JOSE
internal import Providers
package import Standards
package import Stores
package import Verification

/// Finds the account of a verified identity, or creates it.
package struct AccountResolver: Sendable {
    private let directory: any AccountDirectory
    private let rule: UIDRule
    private let emails: EmailRule
    private let time: TimeSource
    private let random: RandomSource

    package init(
        directory: any AccountDirectory, rule: UIDRule, emails: EmailRule, time: TimeSource, random: RandomSource
    ) {
        self.directory = directory
        self.rule = rule
        self.emails = emails
        self.time = time
        self.random = random
    }

    /// Returns the resolver of the accounts of a tenant; `nil` means users outside any tenant.
    package func of(tenantID: String?) -> AccountResolver {
        AccountResolver(
            directory: directory.of(tenantID: tenantID), rule: rule, emails: emails, time: time, random: random)
    }

    /// Finds the account of an identity, or creates it.
    ///
    /// The same identity always has the same account. An account is never found by an e-mail address; a verified
    /// address can only prevent that a second account is created.
    ///
    /// - Throws: `Refusal`, `StoreError`, or ``AccountCollision/emailTaken(by:)``.
    package func findOrMake(_ identity: VerifiedIdentity) async throws -> Account {
        let incoming = IncomingIdentity(identity)
        let now = time.now()
        if let decision = identity.known?.answer(to: incoming, at: now) { return try account(decision, of: identity) }
        let candidates = try rule.candidates(provider: identity.provider, subject: identity.subject, random: random)
        let decision: SignInDecision
        do {
            decision = try await directory.signIn(
                // The directory creates no account if it has no uid to choose from.
                incoming, candidates: identity.isProfileWhole ? candidates : [], emails: emails, at: now)
        } catch .noFreeUID where !identity.isProfileWhole {
            // An account that is created without its e-mail address would never be found by it.
            throw Refusal(
                .providerError, "The provider did not return the profile that a new account needs. Sign in again.",
                retry: .restart, isUnspent: true)
        }
        return try account(decision, of: identity)
    }

    /// Finds the account of an identity by the rules of ``findOrMake(_:)``, and creates none.
    ///
    /// - Returns: Its account; `nil` if ``findOrMake(_:)`` would create one.
    /// - Throws: `Refusal`, `StoreError`, or ``AccountCollision/emailTaken(by:)``.
    package func find(_ identity: VerifiedIdentity) async throws -> Account? {
        let incoming = IncomingIdentity(identity)
        let now = time.now()
        if let decision = identity.known?.answer(to: incoming, at: now) { return try account(decision, of: identity) }
        let decision: SignInDecision
        do {
            // The directory creates no account if it has no uid to choose from.
            decision = try await directory.signIn(incoming, candidates: [], emails: emails, at: now)
        } catch .noFreeUID {
            return nil
        }
        return try account(decision, of: identity)
    }

    private func account(
        _ decision: SignInDecision, of identity: VerifiedIdentity
    ) throws -> Account {
        switch decision {
        case .signedIn(let uid, let isNew, let holders, let hasFactor):
            return Account(
                uid: uid, isNew: isNew, evidence: .identity(identity), emailHeldBy: holders, hasFactor: hasFactor)
        case .emailTaken(let accounts): throw AccountCollision.emailTaken(by: accounts)
        case .refused(let refusal): throw Refusal(refusal)
        }
    }

    /// Finds the account of an identity that was kept for a while, and creates none.
    ///
    /// - Parameter uid: The account that had the identity before; `nil` if there was none.
    /// - Returns: The account; `nil` if the identity is now linked to another account, or to none.
    /// - Throws: `Refusal`, `StoreError`, or ``AccountCollision/emailTaken(by:)``.
    package func find(_ identity: VerifiedIdentity, stillHeldBy uid: UID?) async throws -> Account? {
        let decision: SignInDecision
        do {
            // The directory creates no account if it has no uid to choose from.
            decision = try await directory.signIn(
                IncomingIdentity(identity), candidates: [], emails: .shared, at: time.now())
        } catch .noFreeUID {
            return nil
        }
        let account = try account(decision, of: identity)
        return uid == account.uid ? account : nil
    }

    /// Finds the account of an identity, or the accounts because of which its first sign-in would be refused.
    ///
    /// No account is made. A refusal of the identity's own account is not reported: ``findOrMake(_:)`` does that.
    ///
    /// - Throws: `StoreError`.
    package func lookup(of identity: VerifiedIdentity) async throws -> IdentityLookup {
        do {
            return try await find(identity).map(IdentityLookup.account) ?? .unknown
        } catch AccountCollision.emailTaken(let accounts) {
            return .conflict(accounts)
        } catch is Refusal {
            return .unknown
        }
    }

    /// Creates an account without an identity.
    ///
    /// - Parameter retention: The account is deleted after this time unless an identity is linked to it; `nil` keeps
    ///   it.
    /// - Throws: `StoreError`.
    package func makeAnonymous(retention: Duration?) async throws -> Account {
        let now = time.now()
        let candidates = try UIDRule.anonymousCandidates(random)
        let uid = try await directory.makeAnonymous(
            candidates: candidates, deleteAfter: retention.map { now + $0 }, at: now)
        return Account(uid: uid, isNew: true, evidence: .anonymous)
    }
}

/// The account of an identity before its sign-in.
package enum IdentityLookup: Sendable {
    case account(Account)
    /// The verified address of the identity belongs to these accounts, and the identity has none.
    case conflict([StoredAccount])
    /// The identity has no account, or its account is refused.
    case unknown
}

extension IncomingIdentity {
    /// Creates the directory's view of a verified identity.
    ///
    /// An unverified e-mail address is kept only to be shown. An incomplete profile does not replace the details that
    /// an earlier, complete one brought.
    init(_ identity: VerifiedIdentity) {
        let profile = identity.profile
        self.init(
            identity: ExternalIdentity(identity),
            details: identity.isProfileWhole
                ? IdentityDetails(email: profile.email, name: profile.name, picture: profile.picture)
                : IdentityDetails(),
            email: profile.isEmailVerified == true ? profile.email.flatMap { EmailAddress($0) } : nil)
    }
}

extension ExternalIdentity {
    package init(_ identity: VerifiedIdentity) {
        self.init(provider: identity.provider, subject: identity.subject)
    }
}
