import Foundation
import Jansson
import Testing

extension Installation {
    /// Three accounts: one of X, an expired anonymous one, and one with a password.
    static let accounts = [
        #"{"uid":"anna","created_at":1700000000,"email":"anna@example.com","identities":[{"provider":"twitter.com","provider_uid":"783214","name":"Anna"}]}"#,
        #"{"uid":"bert","created_at":1700000000,"other_way_in":true}"#,
        #"{"uid":"nobody","created_at":1700000000,"anonymous":true,"delete_after":1700003600}"#,
    ]

    /// An installation with accounts in its store.
    static func withAccounts(_ lines: [String] = accounts) async throws -> Installation {
        let installation = try Installation()
        try installation.write(
            installation.yaml
                + "  yahoo.com:\n    client_id: our-id-at-yahoo\n    client_secret: env:X_SECRET\n")
        #expect(try await installation.run("migrate").status == 0)
        guard !lines.isEmpty else { return installation }
        let outcome = try await installation.run("accounts", "import", installation.file(lines.joined(separator: "\n")))
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        return installation
    }

    /// Writes a new file, and returns its path.
    func file(_ text: String) throws -> String {
        let path = folder.appending(path: "file-\(UUID()).json").path
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    /// The output of `accounts list --json`, by uid.
    func listed() async throws -> [String: JSON] {
        let outcome = try await run("accounts", "list", "--json")
        #expect(outcome.status == 0)
        let accounts = try outcome.output.split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }
        return Dictionary(uniqueKeysWithValues: accounts.map { ($0["uid"]?.string ?? "", $0) })
    }
}

extension JSON {
    /// The provider and subject of each identity of an account, as `provider subject`.
    var identities: [String] {
        (self["identities"]?.array ?? []).map {
            "\($0["provider"]?.string ?? "") \($0["provider_uid"]?.string ?? "")"
        }
    }
}
