import Firebase
import Flows
import JOSE
import Minting
import OAuth
import SQLiteStores
import Sandbox
import Stores
import Transport

/// All of a street's server that speaks to Google's stand-in.
struct GoogleParts {
    let signer: CustomTokenSigner
    let toolkit: IdentityToolkit?
    let redeemer: Redeemer?
    let directory: any AccountDirectory
    let idTokens: FirebaseIDTokenVerifier
    let appCheck: AppCheckVerifier

    init(_ plan: Plan, at origin: String, store: SQLiteStore, transport: HTTPTransport, time: TimeSource) throws {
        let account = try TestAccount.parsed()
        // Nobody waits for the next attempt of a call that failed.
        var retries = RetryPolicy()
        retries.pause = { _ in true }
        let machine = AccessTokenSource.metadata(origin: origin, transport: transport, time: time, retries: retries)
        signer =
            plan.signsRemotely
            ? .iam(
                origin: origin,
                email: .discovered(origin: origin, transport: transport, time: time, retries: retries),
                accessTokens: machine, transport: transport, time: time, callLimit: 64, retries: retries)
            : try CustomTokenSigner(
                serviceAccount: account, threadCount: 1, queueLimit: 64, patience: plan.signingPatience)
        let asked = IdentityToolkit(
            IdentityToolkitEndpoint(
                origin: origin, projectID: Plan.projectID, tenantID: plan.rules.tenantID,
                tokens: plan.signsRemotely
                    ? machine
                    : .serviceAccount(
                        account, endpoint: origin + "/token",
                        scopes: [
                            "https://www.googleapis.com/auth/identitytoolkit",
                            "https://www.googleapis.com/auth/cloud-platform",
                        ], transport: transport, time: time, retries: retries),
                transport: transport, time: time, retries: IdentityToolkitRetryPolicy { _ in }))
        toolkit = plan.google == .keys ? nil : asked
        redeemer = plan.google == .keys ? nil : Redeemer(toolkit: asked, apiKey: Secret("sandbox-api-key"))
        directory =
            plan.google == .directory
            ? FirebaseDirectory(
                users: asked, local: store, providers: ["yahoo.com", "twitter.com"], syncsProfile: true) : store
        idTokens = FirebaseIDTokenVerifier(
            projectID: Plan.projectID,
            keys: FirebaseKeys.document(
                at: origin + "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
                transport: transport, time: time), time: time)
        appCheck = AppCheckVerifier(
            projectID: Plan.projectID,
            keys: FirebaseKeys.document(at: origin + "/v1/jwks", transport: transport, time: time), time: time)
    }
}
