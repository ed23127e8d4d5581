package import JOSE
package import OAuth
internal import Providers
package import Stores
package import Verification

/// Finds the account of who signs in, or makes it.
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

    /// The same identity always has the same account.
    ///
    /// No account is ever found by an e-mail address; one that was verified can only keep a second from being made.
    package func resolve(_ identity: VerifiedIdentity) async throws(AccountError) -> Account {
        let arrival = IncomingIdentity(identity)
        let now = time.now()
        if let decision = identity.known?.answer(to: arrival, at: now) { return try account(decision, of: identity) }
        let candidates: [String]
        do {
            candidates = try rule.candidates(provider: identity.provider, subject: identity.subject, random: random)
        } catch {
            throw .random(error)
        }
        let decision: SignInDecision
        do {
            decision = try await directory.signIn(
                // Without a uid to choose from no account is made.
                arrival, candidates: identity.isProfileWhole ? candidates : [], emails: emails, at: now)
        } catch .noFreeUID where !identity.isProfileWhole {
            throw .profileMissing
        } catch {
            throw .store(error)
        }
        return try account(decision, of: identity)
    }

    private func account(
        _ decision: SignInDecision, of identity: VerifiedIdentity
    ) throws(AccountError) -> Account {
        switch decision {
        case .signedIn(let text, let isNew, let holders):
            guard let uid = UID(text) else { throw .store(.corrupt) }
            return Account(uid: uid, isNew: isNew, identity: identity, emailHeldBy: holders)
        case .emailTaken(let accounts): throw .emailTaken(by: accounts)
        case .refused(let refusal): throw AccountError(refusal)
        }
    }

    /// The account that has held the identity before, and none that this sign-in would make.
    ///
    /// - Returns: nil if the identity is linked to another account by now, or to none.
    package func resolve(_ identity: VerifiedIdentity, heldBy uid: String) async throws(AccountError) -> Account? {
        let decision: SignInDecision
        do {
            // Without candidates no account can be made.
            decision = try await directory.signIn(
                IncomingIdentity(identity), candidates: [], emails: .shared, at: time.now())
        } catch .noFreeUID {
            return nil
        } catch {
            throw .store(error)
        }
        let account = try account(decision, of: identity)
        return account.uid.text.utf8.elementsEqual(uid.utf8) ? account : nil
    }

    /// An account of which nobody has proven anything.
    ///
    /// - `retention`: after that long it goes, unless it is linked before; nil keeps it.
    package func makeAnonymous(retention: Duration?) async throws(AccountError) -> Account {
        let now = time.now()
        let candidates: [String]
        do {
            candidates = try UIDRule.anonymousCandidates(random)
        } catch {
            throw .random(error)
        }
        let text: String
        do {
            text = try await directory.makeAnonymous(
                candidates: candidates, deleteAfter: retention.map { now + $0 }, at: now)
        } catch {
            throw .store(error)
        }
        guard let uid = UID(text) else { throw .store(.corrupt) }
        return Account(uid: uid, isNew: true, identity: nil)
    }
}

extension AccountError {
    init(_ refusal: AccountRefusal) {
        switch refusal {
        case .disabled: self = .disabled
        case .secondFactorEnrolled: self = .secondFactorEnrolled
        }
    }
}

extension IncomingIdentity {
    /// What the directory is told of a person who has proven who they are.
    ///
    /// An address that was not verified is shown to people, and nothing else. A part of a profile does not replace what
    /// was kept of the whole one.
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
    init(_ identity: VerifiedIdentity) {
        self.init(provider: identity.provider.text, subject: identity.subject)
    }
}
