package import Firebase
package import JOSE
internal import Jansson
internal import OpenSSL
package import Standards
internal import Transport

/// Google's services with scripted responses, and the types of the server that use them.
package struct ScriptedGoogle: Sendable {
    package static let projectID = "project"
    package static let keysURL = "https://keys.example/securetoken"
    package static let tokenEndpoint = "https://token.example/token"
    package static let metadata = "http://metadata.example"
    package static let metadataToken = metadata + "/computeMetadata/v1/instance/service-accounts/default/token"
    package static let metadataEmail = metadata + "/computeMetadata/v1/instance/service-accounts/default/email"
    package static let iam = "https://iam.example"
    package static let account = "minter@project.iam.gserviceaccount.com"
    package static let signBlob = iam + "/v1/projects/-/serviceAccounts/" + account + ":signBlob"

    package let clock = TestClock()
    package let peer = ScriptedPeer()

    /// Creates the services and publishes the test keys as a JWK set.
    package init() throws {
        peer.script(.get, Self.keysURL, .json(try TestKeys.shared.keySet()))
    }

    package var keys: CachedDocument<JWKSet> {
        FirebaseKeys.document(at: Self.keysURL, transport: peer.transport, time: clock.source)
    }

    package var idTokens: FirebaseIDTokenVerifier {
        FirebaseIDTokenVerifier(projectID: Self.projectID, keys: keys, time: clock.source)
    }

    package var appCheck: AppCheckVerifier {
        AppCheckVerifier(projectID: Self.projectID, keys: keys, time: clock.source)
    }

    /// Returns a policy whose pauses take no time, but advance the clock by their duration.
    package func retries(
        _ pauses: Duration..., deadline: Duration = .seconds(10), throttle: RetryThrottle = RetryThrottle()
    ) -> RetryPolicy {
        var policy = RetryPolicy(throttle)
        policy.pauses = pauses
        policy.deadline = deadline
        policy.pause = { [clock] duration in
            clock.advance(by: duration)
            return true
        }
        return policy
    }

    package static func tokenAnswer(_ token: String, expiresIn: Int64 = 3599) -> ScriptedAnswer {
        .json(#"{"access_token":"\#(token)","expires_in":\#(expiresIn),"token_type":"Bearer"}"#)
    }

    package static func serviceAccount() throws -> ServiceAccount {
        let file = JSON.object([
            "type": .string("service_account"), "project_id": .string(projectID),
            "private_key_id": .string("account-key-1"), "client_email": .string(account),
            "private_key": .string(try TestKeys.shared.account.pem()),
        ])
        return try ServiceAccount.parse(file.serialized())
    }
}
