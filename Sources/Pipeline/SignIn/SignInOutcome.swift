package import Accounts
package import Minting
package import OAuth
package import Verification

/// A finished sign-in.
package struct SignInOutcome: Sendable {
    package let token: CustomToken
    package let account: Account
    /// Nil unless the client's configuration lets it have them.
    package let providerTokens: ReturnedTokens?
}

/// A flow that has begun: where to send the person, and what to hand back with the callback.
package struct BegunSignIn: Sendable {
    package let authorizationURL: Secret
    package let session: Secret
    /// Seconds.
    package let expiresIn: Int64
}

/// A nonce for the provider, and the verifier that is posted with the credential.
package struct IssuedNonce: Sendable {
    package let nonce: String
    package let verifier: Secret
    /// Seconds.
    package let expiresIn: Int64
}
