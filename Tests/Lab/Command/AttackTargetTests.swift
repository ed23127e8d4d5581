import Testing

@testable import Settings
@testable import token_exchange_lab

@Suite("The file of attack --target")
struct AttackTargetTests {
    private static let least = """
        client_id: my-app
        redirect_uri: https://app.example/cb
        """

    private func load(_ yaml: String, environment: [String: String] = [:]) throws(SettingsProblems) -> AttackTarget {
        try SettingsLoader(environment: environment) { _ in
            SettingsFile(bytes: Array(yaml.utf8))
        }.load(path: "target.yaml", as: AttackTarget.read)
    }

    private func problems(_ yaml: String) -> [String] {
        do {
            _ = try load(yaml)
            return []
        } catch {
            return error.problems.map { "\($0.key) \($0.message)" }
        }
    }

    @Test("The smallest valid file has the documented default values")
    func defaults() throws {
        let target = try load(Self.least)
        #expect(target.hosts.isEmpty)
        #expect(target.clientID == "my-app")
        #expect(target.otherClientID == nil)
        #expect(target.provider == "yahoo.com")
        #expect(target.providerRedirectURI == "https://app.example/cb")
        #expect(target.origin == nil)
        #expect(target.requestsPerSecond == 5)
        #expect(target.maximumRequests == 2000)
        #expect(target.idToken == nil && target.foreignIDToken == nil && target.accessToken == nil)
    }

    @Test("Secrets come from the environment and are not printed")
    func secrets() throws {
        let target = try load(
            Self.least + "\nid_token: env:TOKEN\nnonce_verifier: env:VERIFIER\n",
            environment: ["TOKEN": "eyJ-secret", "VERIFIER": "verifier-secret"])
        #expect(target.idToken?.secretText == "eyJ-secret")
        #expect(target.nonceVerifier?.secretText == "verifier-secret")
        #expect(!"\(target)".contains("secret\""))
        #expect(!"\(target)".contains("eyJ-secret"))
    }

    @Test("An ID token without its nonce verifier is refused")
    func halves() {
        #expect(problems(Self.least + "\nid_token: eyJ\n").contains { $0.hasPrefix("nonce_verifier is missing") })
        #expect(problems(Self.least + "\nnonce_verifier: verifier\n").contains { $0.hasPrefix("id_token is missing") })
    }

    @Test("An origin with more than scheme, host and port is refused")
    func origins() throws {
        #expect(try load(Self.least + "\norigin: https://app.example:8443\n").origin == "https://app.example:8443")
        #expect(problems(Self.least + "\norigin: https://app.example/page\n").contains { $0.hasPrefix("origin ") })
    }

    @Test("A file without an application is refused")
    func nothing() {
        let found = problems("hosts: [staging.example.com]\n")
        #expect(found.contains { $0.hasPrefix("client_id is missing") })
        #expect(found.contains { $0.hasPrefix("redirect_uri is missing") })
    }

    @Test(
        "A rate or number of requests out of bounds is refused",
        arguments: ["requests_per_second: 0", "requests_per_second: 101", "max_requests: 0", "max_requests: 100001"])
    func pace(line: String) {
        #expect(problems(Self.least + "\n" + line + "\n").count == 1)
    }

    @Test("An unknown key is refused, with a suggestion")
    func unknown() {
        #expect(problems(Self.least + "\nhost: [staging.example.com]\n").contains { $0.contains("hosts") })
    }
}
