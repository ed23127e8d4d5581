internal import Accounts
internal import Firebase
internal import Flows
internal import JOSE
internal import Jansson
internal import Stores

/// Answers about accounts.
enum AccountJSON {
    /// Times are seconds since 1970-01-01T00:00:00Z; absent members are left out.
    static func account(_ account: StoredAccount) -> JSON {
        .object([
            "uid": .string(account.uid), "anonymous": .bool(account.isAnonymous),
            "created_at": .integer(account.createdAt.seconds),
            "identities": .array(account.identities.map(identity)),
        ])
    }

    private static func identity(_ stored: StoredIdentity) -> JSON {
        var members: [String: JSON] = [
            "provider": .string(stored.identity.provider), "provider_uid": .string(stored.identity.subject),
            "linked_at": .integer(stored.linkedAt.seconds), "last_used_at": .integer(stored.lastUsedAt.seconds),
        ]
        members["email"] = stored.details.email.map(JSON.string)
        members["name"] = stored.details.name.map(JSON.string)
        members["picture"] = stored.details.picture.map(JSON.string)
        return .object(members)
    }

    static func linked(_ outcome: LinkOutcome) -> JSON {
        var members = ExchangeRoute.members(of: outcome.identity, tokens: outcome.providerTokens)
        members["account"] = account(outcome.account)
        return .object(members)
    }

    static func unlinked(_ stored: StoredAccount) -> JSON { .object(["account": account(stored)]) }

    static func merged(_ outcome: MergeOutcome) -> JSON {
        var members = ["account": account(outcome.account), "firebase_user": firebaseUser(outcome.removal)]
        members["merged_uid"] = .string(outcome.mergedUID)
        return .object(members)
    }

    static func deleted(_ removal: FirebaseUserRemoval) -> JSON { .object(["firebase_user": firebaseUser(removal)]) }

    /// A user who only has to sign in again is still there.
    private static func firebaseUser(_ removal: FirebaseUserRemoval) -> JSON {
        switch removal {
        case .deleted: .string("deleted")
        case .sessionsEnded, .kept: .string("kept")
        case .none: .string("none")
        }
    }

    static func signedOut(_ outcome: SignOutOutcome) -> JSON {
        .object([
            "sessions_revoked": .bool(outcome.revokesSessions), "token_revoked": .bool(outcome.revokesToken),
        ])
    }
}
