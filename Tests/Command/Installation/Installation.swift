import Fixtures
import Foundation
import Jansson

/// A folder with a configuration, a service account and the path of the store.
struct Installation: ~Copyable {
    static let secret = "hush-consumer-secret-of-x"
    static let environment = ["X_SECRET": secret]
    static let email = "tests@project.iam.gserviceaccount.com"

    let folder: URL
    var configuration: String { folder.appending(path: "token-exchange.yaml").path }
    var serviceAccount: String { folder.appending(path: "service-account.json").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "installation-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(serviceAccount: try Self.account(key: Fixtures.pem("rsa-2048")))
        try write(yaml)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A valid configuration, with X as the only provider, so that no document is fetched.
    var yaml: String {
        """
        server:
          listen: 127.0.0.1:0
          admin_listen: 127.0.0.1:0
          drain_delay: 0s
          public_url: http://127.0.0.1:8080
        firebase:
          service_account: \(serviceAccount)
        store: sqlite://\(folder.path)/token-exchange.db
        clients:
          my-app:
            provider_redirect_uris: ["com.example.app:/x"]
        providers:
          twitter.com:
            flow: oauth2
            oauth2:
              client_id: our-id-at-x
              client_secret: env:X_SECRET

        """
    }

    var emulatorYAML: String {
        yaml.replacing("service_account: \(serviceAccount)", with: "emulator_host: 127.0.0.1:9099")
    }

    func write(_ yaml: String) throws {
        try write(Data(yaml.utf8), to: configuration)
    }

    func write(serviceAccount text: String, mode: Int = 0o600) throws {
        try write(Data(text.utf8), to: serviceAccount, mode: mode)
    }

    func run(_ arguments: String..., environment: [String: String] = [:], input: String = "") async throws
        -> Command.Outcome
    {
        try await Command.run(
            arguments + ["--config", configuration],
            environment: Self.environment.merging(environment) { $1 }, input: input)
    }

    /// Starts the server; `output` receives the log instead of a file.
    func serve(environment: [String: String] = [:], output: FileHandle? = nil) throws -> RunningCommand {
        try RunningCommand(
            ["serve", "--config", configuration], environment: Self.environment.merging(environment) { $1 },
            output: output)
    }

    /// The permissions of a file in the folder.
    func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    static func account(key: String, type: String = "service_account") -> String {
        let account = JSON.object([
            "type": .string(type), "project_id": .string("project"), "private_key_id": .string("key-1"),
            "private_key": .string(key), "client_email": .string(email),
        ])
        return String(decoding: account.serialized(), as: UTF8.self)
    }

    private func write(_ content: Data, to path: String, mode: Int = 0o600) throws {
        try content.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}

extension Command.Outcome {
    /// Whether neither stream contains a line of the secrets; lines of fewer than 20 characters are ignored.
    func hides(_ secrets: String...) -> Bool {
        let lines = secrets.flatMap { $0.split { $0 == "\n" || $0 == "\\" }.filter { $0.count >= 20 } }
        return !lines.contains { output.contains($0) || errors.contains($0) }
    }
}
