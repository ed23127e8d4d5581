package import Firebase
internal import Flows
internal import JOSE
package import Jansson
package import Standards
package import Stores
internal import Transport

extension Deployment {
    /// Returns a Firebase ID token of a user who signed in 100 seconds ago and has no verified email address.
    ///
    /// `change` modifies the token before it is signed.
    package func bearer(_ uid: UID, _ change: (inout IDTokenBuilder) -> Void = { _ in }) throws -> Secret {
        var token = IDTokenBuilder.firebase(at: clock.now)
        token.claims["sub"] = .string(uid.text)
        token.claims["user_id"] = .string(uid.text)
        token.claims["email_verified"] = .bool(false)
        change(&token)
        return try token.secret()
    }

    /// Returns the user of a token as ``bearer(_:_:)`` makes it.
    package func user(
        _ uid: UID, _ change: (inout IDTokenBuilder) -> Void = { _ in }
    ) async throws -> FirebaseUser {
        try await flows.accounts.user(try bearer(uid, change))
    }

    /// Returns the user of a token whose `auth_time` is `seconds` ago.
    package func user(_ uid: UID, signedIn seconds: Int64) async throws -> FirebaseUser {
        let authenticatedAt = clock.now.seconds - seconds
        return try await user(uid) {
            $0.claims["auth_time"] = .integer(authenticatedAt)
            $0.claims["iat"] = .integer(authenticatedAt)
            $0.claims["exp"] = .integer(authenticatedAt + 3600)
        }
    }

    /// Returns the identities of an account in the store; `nil` if there is no account.
    package func identities(of uid: UID) async throws -> [ExternalIdentity]? {
        try await store.account(uid: uid)?.identities.map(\.identity)
    }

    /// Makes Identity Toolkit find only these users, each with the given members.
    package func scriptLookup(_ users: [UID: [String: JSON]]) {
        let lookup = ScriptedAnswer { request throws(TransportError) in
            let asked =
                (try? JSON.parse(request.body))?["localId"]?.array?.compactMap { $0.string.flatMap { UID($0) } } ?? []
            let found = asked.compactMap { uid in
                users[uid].map { JSON.object($0.merging(["localId": .string(uid.text)]) { $1 }) }
            }
            let answer = JSON.object(["users": .array(found)]).serialized()
            return OutboundResponse(
                status: 200, header: [HeaderField("Content-Type", "application/json")], body: answer)
        }
        peer.script(.post, Google.lookup, lookup)
    }
}
