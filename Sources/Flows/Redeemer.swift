package import Firebase
package import OAuth

/// Trades custom tokens in at Firebase, for applications without its SDK.
package struct Redeemer: Sendable {
    private let toolkit: IdentityToolkit
    private let apiKey: Secret

    /// - `apiKey`: of the project's web applications.
    package init(toolkit: IdentityToolkit, apiKey: Secret) {
        self.toolkit = toolkit
        self.apiKey = apiKey
    }

    func redeem(_ customToken: Secret, tenantID: String?) async throws(IdentityToolkitError) -> FirebaseSession {
        try await toolkit.of(tenantID: tenantID).redeem(customToken, apiKey: apiKey)
    }
}
