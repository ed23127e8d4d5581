import Documents
import Firebase
import JOSE
import Jansson
import OAuth
import OpenSSL
import Support
import Transport

/// Google as the tests see it, where everything is scripted.
struct Google {
    static let projectID = "project"
    static let keysURL = "https://keys.example/securetoken"
    static let tokenEndpoint = "https://token.example/token"
    static let metadata = "http://metadata.example"
    static let metadataToken = metadata + "/computeMetadata/v1/instance/service-accounts/default/token"
    static let metadataEmail = metadata + "/computeMetadata/v1/instance/service-accounts/default/email"
    static let iam = "https://iam.example"
    static let account = "minter@project.iam.gserviceaccount.com"
    static let signBlob = iam + "/v1/projects/-/serviceAccounts/" + account + ":signBlob"

    let clock = TestClock()
    let peer = ScriptedPeer()

    /// Publishes the test keys as a JWK set.
    init() throws {
        peer.script(.get, Self.keysURL, .json(try TestKeys.shared.keySet()))
    }

    var keys: CachedDocument<JWKSet> {
        FirebaseKeys.document(at: Self.keysURL, transport: peer.transport, time: clock.source)
    }

    var idTokens: FirebaseIDTokenVerifier {
        FirebaseIDTokenVerifier(projectID: Self.projectID, keys: keys, time: clock.source)
    }

    var appCheck: AppCheckVerifier {
        AppCheckVerifier(projectID: Self.projectID, keys: keys, time: clock.source)
    }

    /// A policy whose pauses take no time, but move the clock by whole seconds.
    func retries(_ pauses: Duration..., deadline: Duration = .seconds(10)) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.pauses = pauses
        policy.deadline = deadline
        policy.pause = { [clock] duration in
            clock.advance(by: duration)
            return true
        }
        return policy
    }

    static func tokenAnswer(_ token: String, expiresIn: Int64 = 3599) -> ScriptedAnswer {
        .json(#"{"access_token":"\#(token)","expires_in":\#(expiresIn),"token_type":"Bearer"}"#)
    }

    static func serviceAccount() throws -> ServiceAccount {
        let file = JSON.object([
            "type": .string("service_account"), "project_id": .string(projectID),
            "private_key_id": .string("account-key-1"), "client_email": .string(account),
            "private_key": .string(try TestKeys.shared.account.pem()),
        ])
        return try ServiceAccount.parse(file.serialized())
    }
}
