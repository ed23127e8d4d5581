package import OAuth

/// An identity that was proven, and cannot be used as it was meant.
///
/// It is the one error that hands something out, as a ``Secret``, which prints as nothing.
package struct AccountConflict: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// It is linked to another account.
        case credentialAlreadyInUse
        /// Its verified address is another account's.
        case accountExists(email: String?, providers: [String])
    }

    package let kind: Kind
    /// Stands for the credential, which is spent; ten minutes, once, for this client.
    package let pendingCredential: Secret

    /// Two that stand for two credentials are two conflicts.
    package static func == (one: Self, other: Self) -> Bool {
        one.kind == other.kind && one.pendingCredential.matches(other.pendingCredential)
    }
}
