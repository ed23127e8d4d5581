import Firebase
import Fixtures
import Foundation
import Jansson
import Sandbox

/// The service account of all streets, with a key that is published in `Tests/Support/Fixtures`.
enum TestAccount {
    static let email = "tests@project.iam.gserviceaccount.com"

    static func parsed() throws -> ServiceAccount {
        let account: JSON = [
            "type": "service_account", "project_id": "project", "private_key_id": "key-1",
            "private_key": .string(try Fixtures.pem("rsa-2048")), "client_email": .string(email),
        ]
        return try ServiceAccount.parse(account.serialized())
    }

    /// Google's stand-in, at which it may act for the project.
    static func registered() throws -> GoogleSettings {
        let account = GoogleServiceAccount(
            email: email, projectID: Plan.projectID, keyID: "key-1", publicKey: try parsed().publicKey)
        return GoogleSettings(serviceAccounts: [account], tenants: ["tenant-1", "tenant-2"])
    }
}
