package import JOSE
internal import Jansson
package import Standards
package import Stores

/// A client of Identity Toolkit (REST v1), which manages Firebase's users.
///
/// Calls that are safe to repeat are repeated after temporary failures, within limits of number and time. All others are
/// repeated only if they were certainly not received. Nothing is cached, so that disabling a user takes effect at once.
package struct IdentityToolkit: Sendable {
    /// The `aud` of every custom token.
    package static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// The maximum number of identifiers in one request.
    private static let lookupLimit = 100

    let endpoint: IdentityToolkitEndpoint

    package init(_ endpoint: IdentityToolkitEndpoint) {
        self.endpoint = endpoint
    }

    /// Returns a client for the users of a tenant; `nil` means users outside any tenant.
    package func of(tenantID: String?) -> IdentityToolkit { IdentityToolkit(endpoint.of(tenantID: tenantID)) }

    /// Returns a client whose calls all end at a deadline.
    package func until(_ deadline: NumericDate) -> IdentityToolkit { IdentityToolkit(endpoint.until(deadline)) }

    /// Finds the users that have any of these uids, identities or e-mail addresses.
    ///
    /// - Parameter emails: The addresses, verified or not.
    /// - Returns: The users, each once, in no particular order.
    package func lookup(
        uids: [UID] = [], identities: [ExternalIdentity] = [], emails: [EmailAddress] = []
    ) async throws(IdentityToolkitError) -> [FirebaseUserRecord] {
        var identifiers: [(member: String, value: JSON)] = uids.map { ("localId", .string($0.text)) }
        for identity in identities {
            let value = JSON.object([
                "providerId": .string(identity.provider.text), "rawId": .string(identity.subject.text),
            ])
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
            let answer = try await endpoint.call("accounts:lookup", .object(body), .reading)
            // If a malformed member were read as an empty list, a known person would be taken for a new one.
            for user in try answer.list("users") {
                let record = try FirebaseUserRecord(user)
                if !users.contains(where: { $0.uid == record.uid }) { users.append(record) }
            }
        }
        return users
    }

    /// Returns a page of all users.
    ///
    /// - Parameters:
    ///   - token: The token of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of users, from 1 to 1000.
    /// - Returns: The users, and the token of the next page; `nil` after the last page.
    package func users(
        after token: String?, atMost limit: Int
    ) async throws(IdentityToolkitError) -> (users: [FirebaseUserRecord], next: String?) {
        var query = [("maxResults", String(limit))]
        if let token { query.append(("nextPageToken", token)) }
        let answer = try await endpoint.get("accounts:batchGet", query)
        var users: [FirebaseUserRecord] = []
        for user in try answer.list("users") { users.append(try FirebaseUserRecord(user)) }
        // Google sends a token with every full page. The page after the last one is empty and ends the list.
        guard !users.isEmpty, let next = try answer.text("nextPageToken"), !next.isEmpty else { return (users, nil) }
        return (users, next)
    }

    package func user(_ uid: UID) async throws(IdentityToolkitError) -> FirebaseUserRecord? {
        try await lookup(uids: [uid]).first { $0.uid == uid }
    }
}

extension FirebaseUserRecord {
    /// Returns the state of a session of this user (`checkRevoked` of Firebase's SDKs).
    ///
    /// - Parameter authenticatedAt: The ID token's `auth_time`. Firebase's SDK for Node compares it too; others compare
    ///   the later `iat`, which is less strict.
    package func sessionState(authenticatedAt: NumericDate) -> SessionState {
        if isDisabled { return .disabled }
        if let validSince, authenticatedAt < validSince { return .revoked }
        return hasSecondFactor ? .secondFactorEnrolled : .valid
    }
}

package enum SessionState: Sendable, Equatable {
    case valid
    /// The session is valid, but the user has a second factor. A custom token would bypass it, so that none may be
    /// minted.
    case secondFactorEnrolled
    case revoked
    case disabled
}

extension IdentityToolkit {
    /// Signs in with a custom token, as a client SDK does (`accounts:signInWithCustomToken`).
    ///
    /// The call creates the user if there is none. It may be repeated, because Firebase accepts a custom token any
    /// number of times until it expires.
    ///
    /// - Parameter apiKey: The API key of the project's web applications. No access token is sent.
    /// - Throws: ``IdentityToolkitError``. It is ``IdentityToolkitError/credentialMismatch`` if the key and the token
    ///   belong to different projects.
    package func redeem(_ customToken: Secret, apiKey: Secret) async throws(IdentityToolkitError) -> FirebaseSession {
        var body: [String: JSON] = ["token": .string(customToken.secretText), "returnSecureToken": .bool(true)]
        if let tenantID = endpoint.tenantID { body["tenantId"] = .string(tenantID) }
        let answer = try await endpoint.callAsClient("accounts:signInWithCustomToken", .object(body), apiKey: apiKey)
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

/// The tokens of a client that has signed in to Firebase.
package struct FirebaseSession: Sendable {
    package let idToken: Secret
    package let refreshToken: Secret
    /// The lifetime of the ID token.
    package let expiresIn: Duration
    /// Whether this request created the user.
    ///
    /// It is `false` also if an earlier attempt created the user and its response was lost.
    package let isNewUser: Bool
}
