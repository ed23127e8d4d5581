import Curl
import Fixtures
import Foundation
import Jansson
import Testing
import Transport

@Suite("serve", .timeLimit(.minutes(5)))
struct ServeTests {
    @Test("serve becomes ready, responds, and exits with 0 on SIGTERM and SIGINT", arguments: [SIGTERM, SIGINT])
    func lifecycle(signal: Int32) async throws {
        let installation = try Installation()
        let server = try Running(try installation.serve())
        #expect(try await server.get("/readyz", of: "admin").status == 200)
        #expect(try await server.nonce(for: "my-app") == 200)
        server.command.signal(signal)
        #expect(await server.command.end() == 0)
        #expect(server.command.errors.isEmpty)
        let log = server.command.output
        let lines = log.split(separator: "\n")
        let times = lines.map { (try? JSON.parse(Array($0.utf8)))?["time"]?.string ?? "" }
        #expect(
            times.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil }, "\(log)")
        #expect(!log.contains(Installation.secret))
        #expect(!log.contains("PRIVATE KEY"))
        for name in ["token-exchange.db", "token-exchange.db.seal-key"] {
            #expect(try installation.mode(of: name) == 0o600)
        }
    }

    @Test("An invalid configuration leads to exit code 78 before a listener is opened")
    func badConfiguration() async throws {
        let installation = try Installation()
        try installation.write(installation.yaml + "colour: red\n")
        let outcome = try await installation.run("serve")
        #expect(outcome.status == 78)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("line 18: colour: "), "\(outcome.errors)")
    }

    @Test(
        "On Cloud Run, and in its jobs, an invalid configuration is one entry of the log with the severity of an error")
    func badConfigurationOnCloudRun() async throws {
        let installation = try Installation()
        try installation.write(installation.yaml + "colour: red\n")
        for variable in ["K_SERVICE", "CLOUD_RUN_JOB"] {
            let outcome = try await installation.run("serve", environment: [variable: "sign-in"])
            #expect(outcome.status == 78)
            let entry = try JSON.parse(Array(outcome.errors.utf8))
            #expect(outcome.errors.split(separator: "\n").count == 1)
            #expect(entry["severity"]?.string == "ERROR")
            #expect(entry["message"]?.string?.contains("line 18: colour: ") == true, "\(outcome.errors)")
        }
    }

    @Test(
        "As Cloud Run starts it: the port from PORT, one listener that probes call, logs for Google, and the end in time"
    )
    func cloudRun() async throws {
        let installation = try Installation()
        try installation.write(
            installation.yaml.replacing("  listen: 127.0.0.1:0", with: "  listen: 127.0.0.1:env:PORT")
                .replacing("  admin_listen: 127.0.0.1:0\n", with: "  admin_listen: off\n")
                .replacing("  drain_delay: 0s\n", with: "") + "logging:\n  format: google\n")
        let variables = [
            "PORT": String(try FirestoreEmulator.freePort()), "K_SERVICE": "sign-in", "K_REVISION": "sign-in-1",
        ]
        let server = try Running(try installation.serve(environment: variables))
        #expect(try await server.get("/readyz", of: "public").status == 200)
        #expect(try await server.get("/healthz", of: "public").status == 200)
        #expect(try await server.get("/metrics", of: "public").status == 404)
        let health = try await installation.run("health", environment: variables)
        #expect(health.status == 0 && health.output == "ready\n", "\(health.errors)")
        #expect(try await server.nonce(for: "my-app") == 200)
        let end = ContinuousClock.now
        server.command.signal(SIGTERM)
        #expect(await server.command.end() == 0)
        #expect(ContinuousClock.now - end < .seconds(10))
        #expect(server.command.errors.isEmpty)
        let lines = try server.command.output.split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }
        #expect(lines.allSatisfy { $0["severity"] != nil && $0["serviceContext"]?["service"]?.string == "sign-in" })
        let requests = lines.compactMap { $0["httpRequest"] }
        #expect(requests.map { $0["requestUrl"]?.string } == [nil, "/v1/nonce"])
        #expect(!server.command.output.contains("admin listener"))
    }

    @Test(
        "A port in use leads to exit code 1 and one line that names it, before a store is made",
        arguments: ["listen", "admin_listen"])
    func portTaken(setting: String) async throws {
        let installation = try Installation()
        let server = try Running(try installation.serve())
        let address = try await server.address(of: "public")
        let second = try Installation()
        try second.write(
            second.yaml.replacing("  \(setting): 127.0.0.1:0", with: "  \(setting): \(address)"))
        let outcome = try await second.run("serve")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.hasSuffix(
                "\(address): Address already in use: end the other process, or change server.\(setting)\n"),
            "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        #expect(outcome.output.isEmpty, "\(outcome.output)")
        #expect(!FileManager.default.fileExists(atPath: second.folder.path + "/token-exchange.db"))
        server.command.signal(SIGTERM)
        #expect(await server.command.end() == 0)
    }

    @Test("A store in a folder that does not exist is refused with the folder and the command that makes it")
    func store() async throws {
        let installation = try Installation()
        try installation.write(
            installation.yaml.replacing(
                "sqlite://\(installation.folder.path)/token-exchange.db",
                with: "\"sqlite://\(installation.folder.path)/nowhere/at all/token-exchange.db\""))
        let outcome = try await installation.run("serve")
        #expect(outcome.status == 78)
        let folder = installation.folder.path + "/nowhere"
        #expect(outcome.errors.contains("and neither does the folder \(folder)"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("make the folder: mkdir -p -m 700 '\(folder)/at all'\n"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("A store that is no database is refused with its remedy, and not changed")
    func noDatabase() async throws {
        let installation = try Installation()
        let path = installation.folder.path + "/token-exchange.db"
        let text = Data(String(repeating: "no database ", count: 100).utf8)
        #expect(
            FileManager.default.createFile(atPath: path, contents: text, attributes: [.posixPermissions: 0o600]))
        for command in [["serve"], ["migrate"], ["accounts", "list"]] {
            let outcome = try await Command.run(
                command + ["--config", installation.configuration], environment: Installation.environment)
            #expect(outcome.status == 78)
            #expect(
                outcome.errors.contains("store.unavailable.not_a_database; \(path) is not a database of SQLite"),
                "\(outcome.errors)")
        }
        #expect(FileManager.default.contents(atPath: path) == text)
    }

    @Test("R-26: SIGHUP activates a valid configuration, and keeps the old one if the new one is invalid")
    func reload() async throws {
        let installation = try Installation()
        let server = try Running(try installation.serve())
        #expect(try await server.nonce(for: "new-app") == 401)
        let good = installation.yaml.replacing("  my-app:", with: "  new-app: {}\n  my-app:")
        try installation.write(good)
        server.command.signal(SIGHUP)
        _ = try await server.command.line(with: "configuration reloaded")
        #expect(try await server.nonce(for: "new-app") == 200)

        try installation.write(good.replacing("  new-app: {}\n", with: "") + "colour: red\n")
        server.command.signal(SIGHUP)
        let refusal = try await server.command.line(with: "the old one stays in force")
        #expect(try await server.nonce(for: "new-app") == 200)
        #expect(refusal?.contains("line 18: colour") == true, "\(refusal ?? "")")
        #expect(server.command.errors.isEmpty)

        try installation.write(good.replacing("  new-app: {}\n", with: ""))
        server.command.signal(SIGHUP)
        _ = try await server.command.line(
            with: "configuration reloaded: file: values were read again, and env: values are those of the start. "
                + "The key sets of providers are fetched again at their next use",
            times: 2)
        #expect(try await server.nonce(for: "new-app") == 401)
        server.command.signal(SIGTERM)
        #expect(await server.command.end() == 0)
    }

    @Test("R-26: a reload cannot change a server with signed tokens to one with unsigned tokens")
    func reloadToEmulator() async throws {
        let installation = try Installation()
        let server = try Running(try installation.serve())
        _ = try await server.address(of: "public")
        try installation.write(installation.emulatorYAML)
        server.command.signal(SIGHUP)
        let refusal = try await server.command.line(with: "the old one stays in force")
        #expect(refusal?.contains("emulator_host") == true)
        #expect(!server.command.output.contains("UNSIGNED TOKENS"))
        server.command.signal(SIGTERM)
        #expect(await server.command.end() == 0)
    }

    @Test("R-28: the server continues if the reader of its log stops")
    func brokenPipe() async throws {
        let installation = try Installation()
        let pipe = Pipe()
        let command = try installation.serve(output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        var log = ""
        while !log.contains("public listener") {
            let more = pipe.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            log += String(decoding: more, as: UTF8.self)
        }
        try pipe.fileHandleForReading.close()
        let server = try Running(command, log: log)
        for _ in 0..<3 { #expect(try await server.nonce(for: "my-app") == 200) }
        command.signal(SIGTERM)
        #expect(await command.end() == 0)
    }

    @Test("LK-02: the variable of the emulator is ignored with a warning")
    func emulatorVariable() async throws {
        let installation = try Installation()
        let server = try Running(
            try installation.serve(environment: ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"]))
        #expect(try await server.get("/readyz", of: "admin").status == 200)
        #expect(server.command.output.contains("FIREBASE_AUTH_EMULATOR_HOST is ignored"))
        #expect(!server.command.output.contains("UNSIGNED TOKENS"))
        server.command.signal(SIGTERM)
        #expect(await server.command.end() == 0)
    }

    @Test("Pages have the branding of their client, and SIGHUP reads the logo again")
    func branding() async throws {
        let installation = try Installation()
        let logo = installation.folder.appending(path: "logo.jpg")
        try Data([0xFF, 0xD8, 0xFF, 1]).write(to: logo)
        let pages = """
              my-app:
                redirect_uris: [https://app.example.com/cb]
                pages:
                  logo: \(logo.path)
                  accent_color: "#7a1f6b"
                  privacy_url: https://example.com/privacy
                  terms_url: https://example.com/terms
                  support_url: https://example.com/support
            """
        try installation.write(installation.yaml.replacing("  my-app:", with: pages))
        let server = try Running(try installation.serve())
        let query = "response_type=code&client_id=my-app&redirect_uri=https://app.example.com/cb"
        let target =
            "/authorize?\(query)&code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        let page = String(decoding: try await server.get(target, of: "public").body, as: UTF8.self)
        for text in ["--accent: #7a1f6b", "/privacy\"", "/terms\"", "/support\""] { #expect(page.contains(text)) }
        let old = String(try #require(page.firstMatch(of: /src="(\/logo\/[A-Za-z0-9_-]{43})"/)).1)
        let image = try await server.get(old, of: "public")
        #expect(image.body == [0xFF, 0xD8, 0xFF, 1] && image[field: "Content-Type"] == "image/jpeg")
        try Data([0xFF, 0xD8, 0xFF, 2]).write(to: logo)
        server.command.signal(SIGHUP)
        _ = try await server.command.line(with: "configuration reloaded")
        #expect(try await server.get(old, of: "public").status == 404)
        let reloaded = String(decoding: try await server.get(target, of: "public").body, as: UTF8.self)
        #expect(reloaded.contains("/logo/") && !reloaded.contains(old))
        server.command.signal(SIGTERM)
        #expect(await server.command.end() == 0)
    }

    @Test("A server for the emulator logs that its tokens are unsigned")
    func emulator() async throws {
        let installation = try Installation()
        try installation.write(installation.emulatorYAML)
        let server = try Running(try installation.serve())
        _ = try await server.address(of: "public")
        #expect(server.command.output.contains("UNSIGNED TOKENS"))
        server.command.signal(SIGTERM)
        #expect(await server.command.end() == 0)
    }
}

/// A running server, and a client for it.
private struct Running {
    let command: RunningCommand
    private let curl: CurlTransport
    private let log: String?

    struct NotListening: Error {
        let errors: String
    }

    /// Makes a client; `log` is the output so far, if it does not go to a file.
    init(_ command: RunningCommand, log: String? = nil) throws {
        self.command = command
        self.log = log
        curl = try CurlTransport()
    }

    /// Returns the address of a listener as soon as the log contains it.
    func address(of listener: String) async throws -> String {
        let name = "\(listener) listener"
        let line =
            if let log {
                log.split(separator: "\n").first { $0.contains(name) }.map(String.init)
            } else {
                try await command.line(with: name)
            }
        guard let event = line.flatMap({ try? JSON.parse(Array($0.utf8)) }), let address = event["address"]?.string
        else { throw NotListening(errors: command.errors) }
        return address
    }

    func get(_ path: String, of listener: String) async throws -> OutboundResponse {
        try await curl.transport.send(OutboundRequest(.get, "http://\(address(of: listener))\(path)"))
    }

    func nonce(for client: String) async throws -> Int {
        let body = JSON.object(["client_id": .string(client), "provider": .string("twitter.com")])
        return try await curl.transport.send(
            OutboundRequest(
                .post, "http://\(address(of: "public"))/v1/nonce",
                header: [HeaderField("Content-Type", "application/json")], body: body.serialized())
        ).status
    }
}
