package import JOSE
package import OAuth
package import Stores
package import Verification

/// Finds the account of a verified identity, or makes it.
package struct AccountResolver: Sendable {
    private let directory: any AccountDirectory
    private let rule: UIDRule
    private let time: TimeSource
    private let random: RandomSource

    package init(directory: any AccountDirectory, rule: UIDRule, time: TimeSource, random: RandomSource) {
        self.directory = directory
        self.rule = rule
        self.time = time
        self.random = random
    }

    /// The same identity always has the same account.
    ///
    /// E-mail addresses are not looked at.
    package func resolve(_ identity: VerifiedIdentity) async throws(AccountError) -> Account {
        let candidates: [String]
        do {
            candidates = try rule.candidates(provider: identity.provider, subject: identity.subject, random: random)
        } catch {
            throw .random(error)
        }
        let stored: StoredAccount
        do {
            stored = try await directory.account(
                of: ExternalIdentity(provider: identity.provider.text, subject: identity.subject),
                candidates: candidates, at: time.now())
        } catch {
            throw .store(error)
        }
        guard let uid = UID(stored.uid) else { throw .store(.corrupt) }
        return Account(uid: uid, isNew: stored.isNew, identity: identity)
    }
}
