internal import CommandSupport
internal import Firebase
internal import Foundation
internal import Jansson
internal import OpenSSL
internal import Sandbox

/// A folder for a server against the stand-ins, and the service account that stands in it.
struct SandboxFolder {
    /// Absolute, without a slash at the end.
    let path: String

    /// Makes the folder, and `service-account.json` where there is none yet.
    static func make(_ path: String) throws -> SandboxFolder {
        let root = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL.path
        let folder = SandboxFolder(path: root.hasSuffix("/") ? String(root.dropLast()) : root)
        do {
            try FileManager.default.createDirectory(
                atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            if !FileManager.default.fileExists(atPath: folder.accountPath) {
                try folder.store(try newServiceAccount(), at: "service-account.json")
            }
        } catch {
            throw Exit.because("\(folder.path) cannot be written: \(error.localizedDescription)", Exit.failure)
        }
        return folder
    }

    private var accountPath: String { path + "/service-account.json" }

    /// For Google's stand-in, which takes what this account signs.
    func serviceAccount() throws -> GoogleServiceAccount {
        do {
            let account = try ServiceAccount.parse(
                Array(try Data(contentsOf: URL(fileURLWithPath: accountPath))))
            return GoogleServiceAccount(
                email: account.clientEmail, projectID: account.projectID, keyID: account.privateKeyID,
                publicKey: account.publicKey)
        } catch {
            throw Exit.because("\(accountPath) cannot be used; remove it to have a new one made", Exit.failure)
        }
    }

    func store(_ bytes: [UInt8], at name: String) throws {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// Of a project that does not exist: what its key signs, nobody but the sandbox takes.
    private static func newServiceAccount() throws -> [UInt8] {
        let key = try RSAPrivateKey.generate(bitCount: 2048)
        return JSON.object([
            "type": .string("service_account"),
            "project_id": .string("sandbox"),
            "private_key_id": .string("sandbox"),
            "private_key": .string(try key.pem()),
            "client_email": .string("sandbox@sandbox.iam.gserviceaccount.com"),
        ]).serialized()
    }
}
