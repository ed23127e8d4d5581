package import JOSE
internal import Jansson
package import OAuth
package import Stores

/// Firebase's users, as its admin SDKs reach them: Identity Toolkit REST v1.
///
/// A question that is safe to repeat is repeated while its time lasts; all others are sent once. Nothing is kept: a
/// user who was disabled a moment ago is seen as disabled.
package struct IdentityToolkit: Sendable {
    /// The `aud` of every custom token.
    package static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// More identifiers are asked for in several requests.
    private static let lookupLimit = 100

    let endpoint: IdentityToolkitEndpoint

    package init(_ endpoint: IdentityToolkitEndpoint) {
        self.endpoint = endpoint
    }

    /// The same project's users of a tenant; nil for those of none.
    package func of(tenantID: String?) -> IdentityToolkit { IdentityToolkit(endpoint.of(tenantID: tenantID)) }

    /// The same users; every question is over at a moment, however many there are.
    package func until(_ deadline: NumericDate) -> IdentityToolkit { IdentityToolkit(endpoint.until(deadline)) }

    /// The users of any of these uids, identities and addresses, each once, in no order.
    ///
    /// What no user has is left out. An address finds its user whether it is verified or not.
    package func lookup(
        uids: [String] = [], identities: [ExternalIdentity] = [], emails: [EmailAddress] = []
    ) async throws(IdentityToolkitError) -> [FirebaseUserRecord] {
        var identifiers: [(member: String, value: JSON)] = uids.map { ("localId", .string($0)) }
        for identity in identities {
            let value = JSON.object(["providerId": .string(identity.provider), "rawId": .string(identity.subject)])
            identifiers.append(("federatedUserId", value))
        }
        identifiers += emails.map { ("email", .string($0.text)) }

        var users: [FirebaseUserRecord] = []
        var rest = identifiers[...]
        while !rest.isEmpty {
            var body: [String: JSON] = [:]
            for (member, value) in rest.prefix(Self.lookupLimit) {
                body[member] = .array((body[member]?.array ?? []) + [value])
            }
            rest = rest.dropFirst(Self.lookupLimit)
            let answer = try await endpoint.ask("accounts:lookup", .object(body), .reading)
            // A member that is no list says nothing of who there is: a known person would be taken for a new one.
            for user in try answer.list("users") {
                let record = try FirebaseUserRecord(user)
                if !users.contains(where: { $0.hasUID(record.uid) }) { users.append(record) }
            }
        }
        return users
    }

    package func user(_ uid: String) async throws(IdentityToolkitError) -> FirebaseUserRecord? {
        try await lookup(uids: [uid]).first { $0.hasUID(uid) }
    }
}

extension IdentityToolkit {
    /// Whether a session that Firebase's signature vouches for still counts (Firebase's `checkRevoked`).
    ///
    /// Asked anew each time, so that a disabled user is out at once.
    ///
    /// - `authenticatedAt`: the ID token's `auth_time`. Node compares it, others the later `iat`; this is the stricter.
    package func check(
        _ uid: String, authenticatedAt: NumericDate
    ) async throws(IdentityToolkitError) -> SessionStanding {
        try await user(uid)?.standing(authenticatedAt: authenticatedAt) ?? .unknownUser
    }
}

extension FirebaseUserRecord {
    /// What a session of this user is worth that began at `authenticatedAt`.
    package func standing(authenticatedAt: NumericDate) -> SessionStanding {
        if isDisabled { return .disabled }
        if let validSince, authenticatedAt < validSince { return .revoked }
        return hasSecondFactor ? .secondFactorEnrolled : .valid
    }
}

/// What a session is worth now.
package enum SessionStanding: Sendable, Equatable {
    case valid
    /// As good as valid; but no custom token may be made for this user, since it would pass by the second factor.
    case secondFactorEnrolled
    case revoked
    case disabled
    case unknownUser
}

extension IdentityToolkit {
    /// Trades a custom token in, as a client SDK would: `accounts:signInWithCustomToken`.
    ///
    /// It makes the user where there is none. It may be repeated, since a custom token is good for its whole life.
    ///
    /// - `apiKey`: of the project's web applications; no access token goes along.
    /// - Throws: ``IdentityToolkitError/invalidCustomToken``, ``IdentityToolkitError/credentialMismatch`` where the key
    ///   is another project's than the token, ``IdentityToolkitError/userDisabled``.
    package func redeem(_ customToken: Secret, apiKey: Secret) async throws(IdentityToolkitError) -> FirebaseSession {
        var body: [String: JSON] = ["token": .string(customToken.secretText), "returnSecureToken": .bool(true)]
        if let tenantID = endpoint.tenantID { body["tenantId"] = .string(tenantID) }
        let answer = try await endpoint.signIn("accounts:signInWithCustomToken", .object(body), apiKey: apiKey)
        guard
            let idToken = answer["idToken"]?.string, !idToken.isEmpty,
            let refreshToken = answer["refreshToken"]?.string, !refreshToken.isEmpty,
            let expiresIn = answer["expiresIn"]?.wholeNumber, expiresIn > 0
        else { throw .malformedAnswer }
        return FirebaseSession(
            idToken: Secret(idToken), refreshToken: Secret(refreshToken), expiresIn: .seconds(expiresIn),
            isNewUser: answer["isNewUser"]?.bool ?? false)
    }
}

/// What Firebase gives a client that signs in.
package struct FirebaseSession: Sendable {
    package let idToken: Secret
    package let refreshToken: Secret
    /// The ID token's life.
    package let expiresIn: Duration
    /// Whether the request made the user; false as well where an earlier, lost attempt did.
    package let isNewUser: Bool
}
