import Fixtures
import Foundation
import Settings
import Testing

@Suite("config/token-exchange-env.yaml", .timeLimit(.minutes(5)))
struct VariablesSampleTests {
    private static let variables = [
        "PORT": "8080", "DATABASE_URL": "postgresql://tokens:4b227777@db.example.com/tokens?sslmode=verify-full",
        "SEAL_KEY": Sample.sealKey, "STORE_KEY": Sample.storeKey, "YAHOO_CLIENT_ID": "dj0yJmk9",
        "YAHOO_CLIENT_SECRET": "b3f1c7a9",
    ]

    let text: String
    /// The variables with which the text is complete.
    let environment: [String: String]

    init() throws {
        text = try String(
            contentsOf: Fixtures.repository.appending(path: "config/token-exchange-env.yaml"), encoding: .utf8)
        let account = Installation.account(key: try Fixtures.pem("rsa-2048"))
        environment = Self.variables.merging([
            "FIREBASE_SERVICE_ACCOUNT": Data(account.utf8).base64EncodedString(), "TOKEN_EXCHANGE_CONFIG": text,
        ]) { $1 }
    }

    @Test("config check accepts it from a variable, without a warning and without a file")
    func accepted() async throws {
        let outcome = try await Command.run("config", "check", environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!outcome.output.contains("warning: "), "\(outcome.output)")
        #expect(!outcome.output.contains(" file:/"), "\(outcome.output)")
        #expect(outcome.hides(Sample.sealKey, Sample.storeKey, try Fixtures.pem("rsa-2048")))
    }

    @Test("Its head lists the variables that it names, and no other")
    func list() throws {
        let named = text.matches(of: /env:([A-Z_]+)/).map { String($0.output.1) }
        let listed = text.matches(of: #/\n#   ([A-Z_]+(?:, [A-Z_]+)*) /#).flatMap { $0.output.1.split(separator: ", ") }
        #expect(Set(named) == Set(environment.keys).subtracting(["TOKEN_EXCHANGE_CONFIG"]))
        #expect(listed.map(String.init).sorted() == Set(named).sorted())
    }

    @Test("Each variable is necessary", arguments: Self.variables.keys.sorted() + ["FIREBASE_SERVICE_ACCOUNT"])
    func missing(variable: String) async throws {
        var environment = environment
        environment[variable] = nil
        let outcome = try await Command.run("config", "check", environment: environment)
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("the variable \(variable) is not set"), "\(outcome.errors)")
    }
}
