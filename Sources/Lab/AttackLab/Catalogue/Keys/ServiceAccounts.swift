internal import Foundation
internal import Jansson

extension Catalogue {
    static let serviceAccounts = Section(.keys, .high, needs: [.processes]).attacks(
        .attack(
            "KY-01a", "The service account file is missing, empty, a folder, or not JSON.",
            oracle: "The server exits with code 78 and prints one line.", source: "practice"
        ) { context in
            let folder = try context.testBed.folder
            for (name, path) in [
                ("missing", folder + "/no-such-file.json"), ("folder", folder),
                ("empty", try context.file("empty", "")),
                ("text", try context.file("text", "this is not JSON")), ("array", try context.file("array", "[]")),
                ("binary", try context.file("binary", "\u{0}\u{1}\u{2}")),
            ] {
                try await context.expectRefusedStart(name) { $0.set("firebase/service_account", .string(path)) }
            }
        },
        .attack(
            "KY-01b", "The service account file lacks a member, or contains a user credential.",
            oracle: "The server exits with code 78, and its output contains no part of the key.", source: "practice"
        ) { context in
            for name in ["type", "project_id", "private_key", "client_email"] {
                try await context.expectRefused(account: "no-\(name)") { $0[name] = nil }
            }
            try await context.expectRefused(account: "user") { $0["type"] = "authorized_user" }
        },
        .attack(
            "KY-01c", "The private key is truncated, corrupted, empty, or a public key or certificate.",
            severity: .critical, oracle: "The server exits with code 78, and its output contains no part of the key.",
            source: "practice"
        ) { context in
            let pem = try context.serviceAccount["private_key"]?.string ?? ""
            let publicKey =
                "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n"
            for (name, text) in [
                ("cut", String(pem.prefix(pem.count / 2))), ("empty-key", " "), ("garbled", garbled(pem)),
                ("public", publicKey), ("certificate", pem.replacing("PRIVATE KEY", with: "CERTIFICATE")),
                ("encrypted-label", pem.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY")), ("word", "changeme"),
            ] {
                try await context.expectRefused(account: name) { $0["private_key"] = .string(text) }
            }
        },
        .attack(
            "KY-01d", "The private key is an RSA key of 1024 bits, an EC key, or encrypted.", severity: .critical,
            oracle: "The server exits with code 78, and its output contains no part of the key.",
            source: "RFC 8725 3.5; Wycheproof rsa_pkcs1_1024_sig_gen"
        ) { context in
            for (name, arguments) in [
                ("rsa-1024", ["genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]),
                ("p-256", ["genpkey", "-quiet", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]),
                ("ed25519", ["genpkey", "-quiet", "-algorithm", "ED25519"]),
                (
                    "encrypted",
                    ["genpkey", "-quiet", "-algorithm", "RSA", "-aes-128-cbc", "-pass", "pass:correct horse"]
                ),
            ] {
                let key = try await context.openssl(arguments)
                try await context.expectRefused(account: name) { $0["private_key"] = .string(key) }
            }
        },
        .attack(
            "KY-01e", "The key file, or a file with another secret, is readable by all users.",
            oracle: "The server exits with code 78.",
            source: "CWE-732"
        ) { context in
            let account = String(decoding: JSON.object(try context.serviceAccount).serialized(), as: UTF8.self)
            let open = try context.file("open.json", account, mode: 0o644)
            let group = try context.file("group.json", account, mode: 0o640)
            for (name, path) in [("open", open), ("group", group)] {
                try await context.expectRefusedStart(name) { $0.set("firebase/service_account", .string(path)) }
            }
            let secret = try context.file("secret", "a-secret-of-yahoo-1234567890", mode: 0o644)
            try await context.expectRefusedStart("open-secret", secrets: ["a-secret-of-yahoo-1234567890"]) {
                $0.set("providers/yahoo.com/client_secret", .string("file:" + secret))
            }
        },
        .attack(
            "KY-07", "The attacker crashes the process to obtain a core dump.", severity: .medium,
            oracle: "The process writes no core dump: its limit is zero, or it marked itself as not dumpable.",
            source: "CWE-528"
        ) { context in
            try await context.onOwnServer("core") {
                $0.prelude = "ulimit -c unlimited"
            } _: { _, server, bed in
                guard let process = await bed.processID(of: server),
                    let limits = try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8),
                    let line = limits.split(separator: "\n").first(where: { $0.hasPrefix("Max core file size") })
                else { throw Inconclusive("The process's limits cannot be read.") }
                let soft = line.dropFirst("Max core file size".count).split(separator: " ").first
                await context.expect(soft == "0", .leaked, "A core dump of up to \(soft ?? "?") bytes is allowed.")
            }
        },
    )

    /// Returns the text with two characters in its middle swapped, so that the key is inconsistent.
    private static func garbled(_ pem: String) -> String {
        var lines = pem.split(separator: "\n").map(String.init)
        guard lines.count > 6 else { return "" }
        lines.swapAt(3, 4)
        return lines.joined(separator: "\n") + "\n"
    }
}

extension AttackContext {
    fileprivate func expectRefused(
        account name: String, _ change: (inout [String: JSON]) -> Void
    ) async throws {
        var members = try serviceAccount
        change(&members)
        let key = members["private_key"]?.string ?? ""
        let path = try file("\(name).json", String(decoding: JSON.object(members).serialized(), as: UTF8.self))
        try await expectRefusedStart(
            name, secrets: key.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init)
        ) { $0.set("firebase/service_account", .string(path)) }
    }
}
