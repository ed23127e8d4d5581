internal import CommandSupport
internal import Firebase
internal import Foundation
internal import Minting
internal import OpenSSL
internal import Settings

/// The service accounts of a configuration, parsed and checked against each other.
enum ServiceAccounts {
    /// Empty in emulator mode.
    ///
    /// The first signs; the others stand ready to be put first.
    ///
    /// - Throws: Exit 78, with the file and what is wrong with it.
    static func load(_ settings: Settings) throws -> [ServiceAccount] {
        guard case .serviceAccounts(let files) = settings.firebase.signing else { return [] }
        let accounts = try files.map { file in
            do throws(ServiceAccountError) {
                return try ServiceAccount.parse(Array(file.json.secretText.utf8))
            } catch {
                throw Exit.because("\(file.path): \(sentence(error))", Exit.configuration)
            }
        }
        for (account, file) in zip(accounts, files) {
            let expected = settings.firebase.projectID ?? accounts[0].projectID
            guard account.projectID == expected else {
                throw Exit.because(
                    "\(file.path): belongs to project \(account.projectID), not to \(expected)", Exit.configuration)
            }
        }
        return accounts
    }

    /// - Parameters:
    ///   - account: whose key signs.
    ///   - threadCount: how many threads sign.
    ///   - queueLimit: how many signatures may wait: no more than there are requests under way.
    /// - Returns: a signer whose threads run.
    /// - Throws: Exit 78 for a key that cannot be used.
    static func signer(_ account: ServiceAccount, threadCount: Int, queueLimit: Int) throws -> CustomTokenSigner {
        do {
            return try CustomTokenSigner(serviceAccount: account, threadCount: threadCount, queueLimit: queueLimit)
        } catch {
            throw Exit.because("the service account's key cannot be used", Exit.configuration)
        }
    }

    private static func sentence(_ error: ServiceAccountError) -> String {
        switch error {
        case .notJSON: "is not a JSON object"
        case .notServiceAccount:
            "its type is not service_account; download a key in the Firebase console under Service accounts"
        case .missing(let name): "the member \(name) is missing or empty"
        case .privateKey(let error): "private_key cannot be used: \(error)"
        }
    }
}
