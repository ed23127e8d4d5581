internal import Jansson
package import OAuth

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
