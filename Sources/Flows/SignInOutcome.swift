package import Accounts
package import Firebase
package import Minting
package import Verification

/// A finished sign-in.
package struct SignInOutcome: Sendable {
    package let token: CustomToken
    package let account: Account
    /// Nil unless the client's configuration lets it have them.
    package let providerTokens: ReturnedTokens?
    /// In the place of the custom token, where the client's configuration says so.
    package let redeemed: FirebaseSession?
}
