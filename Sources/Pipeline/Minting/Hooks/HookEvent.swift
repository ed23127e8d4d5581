package import Accounts
internal import Jansson
internal import Providers
package import Standards
package import Stores
package import Verification

/// A step of a call before which the code of the operator is asked.
package enum HookPoint: String, Sendable, CaseIterable {
    /// A new account, of a person or anonymous, and the first identity of an account that has none.
    case beforeCreate = "before_create"
    /// An identity that joins an account that exists, also by a merge of two accounts.
    case beforeLink = "before_link"
    /// Every custom token.
    case beforeSignIn = "before_sign_in"
}

/// The facts that a hook decides about.
package struct HookEvent: Sendable {
    package let point: HookPoint
    package let client: ClientID
    /// The account; `nil` before a new one has been created.
    package let uid: UID?
    /// What the account is that gets its first identity; `nil` for any other event.
    package var priorState: PriorState?
    /// The identity that the call verified; `nil` for an anonymous account, and for a merge by an ID token.
    package let identity: VerifiedIdentity?
    package let isNewUser: Bool
    /// Whether the account is anonymous, and has no identity.
    package let isAnonymous: Bool
    /// The account that a merge removes; `nil` for any other call.
    package let mergedUID: UID?

    /// What an account without an identity is.
    package enum PriorState: String, Sendable {
        /// Its person can enter it only by Firebase itself.
        case adopted
        case anonymous
    }

    /// The event of the first identity of an account without one.
    ///
    /// - Parameters:
    ///   - identity: The identity; `nil` for a merge by an ID token.
    ///   - mergedUID: The account that has the identity, and that a merge removes; `nil` for a link.
    package static func firstIdentity(
        _ identity: VerifiedIdentity?, of account: StoredAccount, merging mergedUID: UID?, for client: ClientID
    ) -> Self {
        var event = Self(
            point: .beforeCreate, client: client, uid: account.uid, identity: identity, isNewUser: false,
            isAnonymous: false, mergedUID: mergedUID)
        event.priorState = account.isAnonymous ? .anonymous : .adopted
        return event
    }

    /// The event of a new account.
    package static func creation(of identity: VerifiedIdentity?, for client: ClientID) -> Self {
        Self(
            point: .beforeCreate, client: client, uid: nil, identity: identity, isNewUser: true,
            isAnonymous: identity == nil, mergedUID: nil)
    }

    /// The event of an identity that joins the account with this uid.
    package static func link(
        of identity: VerifiedIdentity?, to uid: UID, merging mergedUID: UID? = nil, for client: ClientID
    ) -> Self {
        Self(
            point: .beforeLink, client: client, uid: uid, identity: identity, isNewUser: false,
            isAnonymous: false, mergedUID: mergedUID)
    }

    /// The event of a custom token.
    package static func signIn(of account: Account, for client: ClientID) -> Self {
        Self(
            point: .beforeSignIn, client: client, uid: account.uid, identity: account.identity,
            isNewUser: account.isNew, isAnonymous: account.isAnonymous, mergedUID: nil)
    }

    /// The member `event` of the JWT; members without a value are omitted.
    func json(from origin: RequestOrigin?) -> JSON {
        var members: [String: JSON] = [
            "type": .string(point.rawValue), "client_id": .string(client.text), "is_new_user": .bool(isNewUser),
        ]
        members["uid"] = uid.map { .string($0.text) }
        if let priorState { members[priorState.rawValue] = .bool(true) }
        members["merged_uid"] = mergedUID.map { .string($0.text) }
        if let identity {
            members["provider"] = .string(identity.provider.text)
            members["provider_uid"] = .string(identity.subject.text)
            members["audience_proof"] = .string(identity.audienceProof.rawValue)
            members["profile"] = identity.profile.json
        } else if isAnonymous {
            members["provider"] = .string("anonymous")
        }
        members["address"] = origin?.address.map(JSON.string)
        members["request_id"] = origin.map { .string($0.requestID) }
        return .object(members)
    }
}

/// The HTTP request that the current task serves, as a hook learns of it.
///
/// The listener binds it for the whole request, so that no flow has to pass it on.
package struct RequestOrigin: Sendable, Equatable {
    @TaskLocal package static var current: RequestOrigin?

    /// The IP address of the client; `nil` if it is unknown.
    package let address: String?
    package let requestID: String

    package init(address: String?, requestID: String) {
        self.address = address
        self.requestID = requestID
    }
}
