internal import Foundation
internal import Jansson

extension Catalogue {
    static let placeholders = Section(.keys, .high, needs: [.processes]).attacks(
        .attack(
            "KY-09a", "The configuration contains placeholder secrets: changeme, your-client-secret, <secret>.",
            oracle: "The server exits with code 78.", source: "Snyk Labs, OAuth series: hard-coded keys"
        ) { context in
            for (number, text) in [
                "changeme", "CHANGE-ME", "your-client-secret", "<client secret>", "${YAHOO_SECRET}", "xxxxxxxx",
                "secret", "",
            ].enumerated() {
                try await context.expectRefusedStart("yahoo-\(number)") {
                    $0.set("providers/yahoo.com/client_secret", .string(text))
                }
            }
            for path in [
                "providers/twitter.com/oauth1/consumer_secret", "providers/twitter.com/oauth2/client_secret",
                "providers/yahoo.com/client_id", "providers/op.example/client_secret",
            ] {
                try await context.expectRefusedStart(path.replacing("/", with: "-")) { $0.set(path, "changeme") }
            }
        },
        .attack(
            "KY-09b", "The seal key is an example, all zeros, ascending bytes, too short, or too long.",
            severity: .critical, oracle: "The server exits with code 78 and does not print the key.", source: "CWE-1394"
        ) { context in
            let keys: [[UInt8]] = [
                Array(repeating: 0, count: 32), Array(repeating: 0x61, count: 32), Array(0..<32),
                (0..<31).map { UInt8(truncatingIfNeeded: $0 * 37 + 5) },
                (0..<33).map { UInt8(truncatingIfNeeded: $0 * 37 + 5) },
                Array("changeme".utf8), [],
            ]
            for (number, key) in keys.enumerated() {
                let text = Base64.urlEncode(key)
                try await context.expectRefusedStart("seal-\(number)", secrets: [text]) {
                    $0.set("seal_keys", [.string(text)])
                }
            }
            try await context.expectRefusedStart("seal-word") { $0.set("seal_keys", ["password"]) }
        },
        .attack(
            "KY-09c", "Secrets refer to variables and files that are missing or empty.",
            oracle: "The server exits with code 78.",
            source: "practice"
        ) { context in
            let empty = try context.file("empty-secret", "")
            for (name, text) in [
                ("unset", "env:NO_SUCH_VARIABLE_HERE"), ("nameless", "env:"), ("missing", "file:/no/such/file"),
                ("empty", "file:" + empty), ("relative", "file:secret"),
            ] {
                try await context.expectRefusedStart(name) {
                    $0.set("providers/yahoo.com/client_secret", .string(text))
                }
            }
        },
    )

    static let wrongAudiences = Section(.keys, .critical, needs: [.processes]).attacks(
        .attack(
            "KY-14", "The configured audience of ID tokens is missing, empty, or of another type.",
            oracle: "The server exits with code 78; it never skips the check.",
            source: "GHSA-x6fw-778m-wr9v; GHSA-r657-33vp-gp22"
        ) { context in
            // A number counts as its text, because some providers have client ids of digits only.
            let values: [(String, JSON?)] = [
                ("none", nil), ("empty", ""), ("null", .null), ("list", ["a", "b"]), ("object", [:]), ("true", true),
                ("blank", " "),
            ]
            for (name, value) in values {
                for provider in ["yahoo.com", "op.example"] {
                    try await context.expectRefusedStart("\(name)-\(provider)") {
                        $0.set("providers/\(provider)/client_id", value)
                    }
                }
            }
            let lists: [(String, JSON)] = [
                ("text", "my-other-id"), ("empties", ["", " "]), ("map", ["a": "b"]),
            ]
            for (name, value) in lists {
                try await context.expectRefusedStart("ids-\(name)") {
                    $0.set("providers/yahoo.com/client_ids", value)
                }
            }
        },
    )
}

/// Helpers for configurations with which a server refuses to start.
extension AttackContext {
    /// Starts a server with one fault; the server must exit with 78 and print a short reason.
    ///
    /// - `secrets`: Texts that the output must not contain.
    func expectRefusedStart(
        _ name: String, secrets: [String] = [], _ change: (inout ServerPlan) throws -> Void
    ) async throws {
        let bed = try testBed
        var plan = ServerPlan("\(attack.id.lowercased())-\(name)")
        try change(&plan)
        let (code, output) = try await bed.refusal(plan)
        await expect(
            code == 78, .wrongAnswer,
            "With \(name) the server did not refuse to start: exit code \(code.map(String.init) ?? "none").")
        await expect(
            !output.isEmpty && output.utf8.count < 4000, .wrongAnswer,
            "With \(name) the server printed \(output.utf8.count) bytes.")
        await expect(
            !secrets.contains { $0.utf8.count >= 8 && output.contains($0) }, .leaked,
            "With \(name) the server prints the secret.")
        if let sign = Disclosure.sign(in: output) {
            await found(.leaked, "With \(name) the server prints internal details: \(sign)")
        }
    }

    /// Writes a file next to the configuration and returns its path.
    func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let bed = try testBed
        let path = "\(bed.folder)/\(attack.id.lowercased())-\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Returns the members of the service account with which the server under attack signs.
    var serviceAccount: [String: JSON] {
        get throws {
            let bed = try testBed
            let bytes = FileManager.default.contents(atPath: bed.folder + "/service-account.json") ?? Data()
            guard let members = try? JSON.parse(Array(bytes), maximumBytes: 1 << 20).object else {
                throw Inconclusive("There is no service account.")
            }
            return members
        }
    }

    /// Returns the output of an OpenSSL command; the attack is inconclusive if OpenSSL is missing.
    func openssl(_ arguments: [String]) async throws -> String {
        let bed = try testBed
        let path = "\(bed.folder)/\(attack.id.lowercased())-openssl.log"
        try? FileManager.default.removeItem(atPath: path)
        let program = "/usr/bin/openssl"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Inconclusive("The openssl command is missing.")
        }
        let child = try ChildProcess(program, arguments, log: path)
        guard await child.hasEnded(within: .seconds(20)), child.exitCode == 0 else {
            throw Inconclusive("openssl \(arguments.first ?? "") failed.")
        }
        return child.log.text(since: 0)
    }
}
