package import Firebase
internal import Jansson
package import Standards
package import Stores
package import Verification

/// The purpose of a flow at a provider that does not sign in, and the account that it is for.
///
/// It is sealed with the flow, so that only the account that began the flow can end it.
package struct AccountIntent: Sendable, Equatable {
    package enum Purpose: String, Sendable {
        case link
        case reauthenticate
    }

    package let purpose: Purpose
    package let uid: UID

    package init(_ purpose: Purpose, of uid: UID) {
        self.purpose = purpose
        self.uid = uid
    }

    var json: JSON { .object(["purpose": .string(purpose.rawValue), "uid": .string(uid.text)]) }

    init?(_ content: JSON) {
        guard let purpose = content["purpose"]?.string.flatMap(Purpose.init),
            let uid = content["uid"]?.string.flatMap({ UID($0) })
        else { return nil }
        self.init(purpose, of: uid)
    }
}

/// The proof that an identity belongs to the caller.
package enum AccountProof: Sendable {
    case credential(ExchangeRequest)
    /// The handoff code of a browser flow that was pushed with the same intent.
    case handoff(client: ClientID, code: Secret, redirectURI: String, codeVerifier: Secret)

    package var client: ClientID {
        switch self {
        case .credential(let request): request.client
        case .handoff(let client, _, _, _): client
        }
    }
}

package struct LinkOutcome: AuditedOutcome {
    package let account: StoredAccount
    package let identity: VerifiedIdentity
    /// The fresh custom token of the account, with the claims of the identity.
    package let signIn: SignInOutcome

    package var auditFact: AuditFact { .link(of: identity) }
}

package struct UnlinkOutcome: AuditedOutcome {
    package let account: StoredAccount

    package var auditFact: AuditFact { AuditFact(.unlink) }
}

/// The result of removing an account.
package struct RemovalOutcome: AuditedOutcome {
    /// What happened to the Firebase user of the account.
    package let removal: FirebaseUserRemoval

    package var auditFact: AuditFact { AuditFact(.delete) }
}
