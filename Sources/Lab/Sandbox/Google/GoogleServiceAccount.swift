package import OpenSSL

/// A service account that Google's stand-in knows.
package struct GoogleServiceAccount: Sendable {
    package let email: String
    package let projectID: String
    /// The `private_key_id` of the account's file; a token that names another key is refused.
    package let keyID: String?
    /// Nil where only the stand-in signs for the account.
    package let publicKey: RSAPublicKey?

    package init(email: String, projectID: String = "sandbox", keyID: String? = nil, publicKey: RSAPublicKey?) {
        self.email = email
        self.projectID = projectID
        self.keyID = keyID
        self.publicKey = publicKey
    }
}
