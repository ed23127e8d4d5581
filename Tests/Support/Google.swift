package import Firebase
package import Flows
internal import JOSE
internal import Standards
internal import Transport

/// Google's services, as a deployment of the tests uses them.
package struct Google {
    package static let projectID = "project"
    package static let keys = "https://keys.google.example/jwks"
    package static let toolkit = "https://toolkit.google.example"
    package static let lookup = toolkit + "/v1/projects/project/accounts:lookup"
    package static let update = toolkit + "/v1/projects/project/accounts:update"
    package static let delete = toolkit + "/v1/projects/project/accounts:delete"
    package static let redemption = toolkit + "/v1/accounts:signInWithCustomToken"

    package let authenticator: FirebaseCallerAuthenticator
    package let appCheck: AppCheckVerifier
    package let toolkit: IdentityToolkit?
    package let firebaseSessions: FirebaseSessionClient?

    init(_ plan: DeploymentPlan, transport: HTTPTransport, time: TimeSource) {
        let keys = FirebaseKeys.document(at: Self.keys, transport: transport, time: time)
        let toolkit = IdentityToolkit(
            IdentityToolkitEndpoint(
                origin: Self.toolkit, projectID: Self.projectID, tenantID: plan.rules.tenantID,
                tokens: .fixed(Secret("access-token")), transport: transport, time: time,
                // A failed request is not repeated, so that no test waits.
                retries: IdentityToolkitRetryPolicy(RetryThrottle(), attempts: 1)))
        self.toolkit = plan.asksGoogle ? toolkit : nil
        firebaseSessions = FirebaseSessionClient(toolkit: toolkit, apiKey: Secret("api-key"))
        appCheck = AppCheckVerifier(projectID: Self.projectID, keys: keys, time: time)
        authenticator = FirebaseCallerAuthenticator(
            verifier: FirebaseIDTokenVerifier(projectID: Self.projectID, keys: keys, time: time),
            toolkit: self.toolkit, rules: plan.rules, time: time)
    }
}
