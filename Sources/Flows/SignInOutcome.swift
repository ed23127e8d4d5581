package import Accounts
package import Firebase
package import Minting
package import Standards
package import Verification

/// A finished sign-in.
package struct SignInOutcome: AuditedOutcome {
    package let token: CustomToken
    package let account: Account
    /// Nil unless the configuration of the client returns them.
    package let providerTokens: ReturnedTokens?
    /// Nil unless the configuration of the client returns it, and if the provider sent none.
    package let providerProfile: ReturnedProfile?
    /// Replaces the custom token if the configuration of the client says so.
    package let firebaseSession: FirebaseSession?
    /// Whether the person has linked the identity to an existing account during this flow.
    package var isLinked = false

    package var auditFact: AuditFact {
        var fact = AuditFact(.mint, verifying: account.identity)
        fact.uid = account.uid
        fact.emailHeldBy = account.emailHeldBy
        return fact
    }
}

/// Trades custom tokens in at Firebase, for applications without Firebase's SDK.
package struct FirebaseSessionClient: Sendable {
    private let toolkit: IdentityToolkit
    private let apiKey: Secret

    /// - Parameter apiKey: The API key of the project's web applications.
    package init(toolkit: IdentityToolkit, apiKey: Secret) {
        self.toolkit = toolkit
        self.apiKey = apiKey
    }

    func redeem(_ customToken: Secret, tenantID: String?) async throws(IdentityToolkitError) -> FirebaseSession {
        try await toolkit.of(tenantID: tenantID).redeem(customToken, apiKey: apiKey)
    }
}
