package import Firebase
internal import Flows
internal import JOSE
package import Jansson
package import OAuth
package import Stores
internal import Transport

extension Deployment {
    /// A Firebase ID token of somebody who signed in a hundred seconds ago, and has no verified address.
    ///
    /// `change`: what else the token says.
    package func bearer(_ uid: String, _ change: (inout IDTokenBuilder) -> Void = { _ in }) throws -> Secret {
        var token = IDTokenBuilder.firebase(at: clock.now)
        token.claims["sub"] = .string(uid)
        token.claims["user_id"] = .string(uid)
        token.claims["email_verified"] = .bool(false)
        change(&token)
        return try token.secret()
    }

    /// The user of such a token.
    package func user(
        _ uid: String, _ change: (inout IDTokenBuilder) -> Void = { _ in }
    ) async throws -> FirebaseUser {
        try await flows.accounts.user(try bearer(uid, change))
    }

    /// The user of a token whose `auth_time` is so many seconds ago.
    package func user(_ uid: String, signedIn seconds: Int64) async throws -> FirebaseUser {
        let authenticatedAt = clock.now.seconds - seconds
        return try await user(uid) {
            $0.claims["auth_time"] = .integer(authenticatedAt)
            $0.claims["iat"] = .integer(authenticatedAt)
            $0.claims["exp"] = .integer(authenticatedAt + 3600)
        }
    }

    /// What the directory holds, account by account: who got in by what.
    package func identities(of uid: String) async throws -> [ExternalIdentity]? {
        try await store.account(uid: uid)?.identities.map(\.identity)
    }

    /// Identity Toolkit knows these users, each with some further members, and nobody else.
    package func scriptLookup(_ users: [String: [String: JSON]]) {
        let lookup = ScriptedAnswer { request throws(TransportError) in
            let asked = (try? JSON.parse(request.body))?["localId"]?.array?.compactMap(\.string) ?? []
            let found = asked.compactMap { uid in
                users[uid].map { JSON.object($0.merging(["localId": .string(uid)]) { $1 }) }
            }
            let answer = JSON.object(["users": .array(found)]).serialized()
            return OutboundResponse(
                status: 200, header: [HeaderField("Content-Type", "application/json")], body: answer)
        }
        peer.script(.post, Google.lookup, lookup)
    }
}
