public import Foundation

/// An account: one Firebase user with identities at providers.
public struct Account: Sendable, Equatable {
    /// An identity of the account.
    public struct Identity: Sendable, Equatable, Identifiable {
        /// The provider, as Firebase names it: also `password` and `phone`.
        public let provider: Provider
        /// The id of the user at the provider.
        public let providerUID: String?
        /// The e-mail address at the provider.
        public let email: String?
        /// The name at the provider.
        public let name: String?
        /// The picture at the provider.
        public let picture: URL?
        /// Whether only the Firebase SDK can link and unlink this identity.
        public let isManagedByFirebase: Bool
        /// The time of the link.
        public let linkedAt: Date?
        /// The time of the last sign-in, exact to the hour.
        public let lastUsedAt: Date?

        /// The provider: an account has one identity of each.
        public var id: Provider { provider }
    }

    /// The Firebase user.
    public let uid: String
    /// Whether the account has no identity.
    public let isAnonymous: Bool
    /// The time when the account was created.
    public let createdAt: Date?
    /// The identities.
    public let identities: [Identity]

    init(_ answer: AccountAnswer) {
        uid = answer.uid
        isAnonymous = answer.anonymous ?? false
        createdAt = answer.createdAt.map(Date.init(timeIntervalSince1970:))
        identities = (answer.identities ?? []).map { identity in
            Identity(
                provider: Provider(identity.provider), providerUID: identity.providerUid, email: identity.email,
                name: identity.name, picture: identity.picture.flatMap(URL.init(string:)),
                isManagedByFirebase: identity.managedBy == "firebase",
                linkedAt: identity.linkedAt.map(Date.init(timeIntervalSince1970:)),
                lastUsedAt: identity.lastUsedAt.map(Date.init(timeIntervalSince1970:)))
        }
    }
}

/// What became of the Firebase user of a deleted account.
public enum RemovedUser: String, Sendable {
    /// The Firebase user was deleted.
    case deleted
    /// The Firebase user exists, because the server may not delete it.
    case kept
    /// There was no such Firebase user.
    case absent = "none"
}

/// A successful merge of two accounts.
public struct MergeResult: Sendable {
    /// The custom token with which to sign in again, because the old session does not name the new identities, or the new
    /// session.
    public let tokens: FirebaseTokens
    /// The account with the identities of both.
    public let account: Account
    /// The uid of the account that was deleted.
    public let mergedUID: String?
    /// What became of the Firebase user with that uid; `nil` if the server says something unknown.
    public let removedUser: RemovedUser?

    init(_ answer: MergeAnswer) throws(TokenExchangeError) {
        tokens = try FirebaseTokens(answer.tokens)
        account = Account(answer.account)
        mergedUID = answer.mergedUid
        removedUser = answer.firebaseUser.flatMap(RemovedUser.init)
    }
}
