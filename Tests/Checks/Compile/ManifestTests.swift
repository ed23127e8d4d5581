import Fixtures
import Foundation
import Testing

@Suite("Walls of the manifest", .serialized, .timeLimit(.minutes(10)))
struct ManifestTests {
    private static let rooms: Set = ["Exchange", "Verification", "Accounts", "Minting"]

    @Test("The server reaches neither the operator's door nor the stand-ins")
    func server() async throws {
        let reached = try await Manifest().closure(of: "Server")
        // The rule means something only where the closure is one.
        #expect(reached.isSuperset(of: Self.rooms.union(["Firebase", "OpenSSL", "COpenSSL"])))
        #expect(reached.isDisjoint(with: ["OperatorMinting", "Sandbox", "Settings", "token-exchange"]))
    }

    @Test("No room depends on the operator's door or the stand-ins, only programs do")
    func programs() async throws {
        let manifest = try await Manifest()
        for (guarded, program) in [("OperatorMinting", "token-exchange"), ("Sandbox", "token-exchange-lab")] {
            let users = manifest.targets.filter { $0.value.dependencies.contains(guarded) }
            #expect(users.keys.contains(program))
            for (name, user) in users {
                #expect(user.type == "executable" || user.path.hasPrefix("Tests/"), "\(name)")
            }
        }
    }

    @Test("The stand-ins share nothing with the rooms that they are to deceive")
    func sandbox() async throws {
        #expect(
            try await Manifest().closure(of: "Sandbox").isDisjoint(
                with: Self.rooms.union(["Flows", "OAuth", "Server"])))
    }

    @Test("Only the cellar depends on C")
    func cellar() async throws {
        let manifest = try await Manifest()
        let libraries = Set(manifest.targets.filter { $0.value.type == "system" }.keys)
        #expect(libraries == ["COpenSSL", "CCurl", "CJansson", "CLibpq", "CLinux"])
        for (name, target) in manifest.targets where !target.dependencies.isDisjoint(with: libraries) {
            #expect(
                target.path.hasPrefix("Sources/System/") || target.path == "Sources/Lab/System", "\(name)")
        }
    }

    @Test("No source file outside the cellar imports C")
    func imports() throws {
        let importers = try Self.sources { text in
            ["COpenSSL", "CCurl", "CJansson", "CLibpq", "CLinux"].contains { text.contains("import \($0)") }
        }
        #expect(importers.allSatisfy { $0.hasPrefix("System/") || $0.hasPrefix("Lab/System/") })
        #expect(importers.count > 10)
    }

    @Test("Only the verification room seals and opens identities, since what opens counts as verified")
    func identities() throws {
        #expect(
            try Self.sources { $0.contains(/as: (StoredKind)?\.identity\b/) } == [
                "Pipeline/Verification/IdentitySeal.swift"
            ])
        // No other way to name a kind is in use.
        #expect(try Self.sources { $0.contains("StoredKind(") || $0.contains("StoredKind = ") } == [])
    }

    @Test("Tokens without a signature are read for the Firebase emulator alone")
    func unsecured() throws {
        #expect(
            Set(try Self.sources { $0.contains("UnsecuredJWS") }) == [
                "Standards/JOSE/UnsecuredJWS.swift", "Firebase/IDTokens/FirebaseIDTokenVerifier.swift",
            ])
    }

    /// Files under `Sources` whose text is so.
    static func sources(where isMeant: (String) -> Bool) throws -> [String] {
        let sources = Fixtures.repository.appending(path: "Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.resolvingSymlinksInPath().path)
            .filter { $0.hasSuffix(".swift") }
        #expect(files.count > 100)
        return try files.filter { isMeant(try String(contentsOf: sources.appending(path: $0), encoding: .utf8)) }
    }

    @Test("The order of the rooms stands in one place: no room depends on a later one")
    func order() async throws {
        let manifest = try await Manifest()
        let order = ["Exchange", "Verification", "Accounts", "Minting", "Flows", "Server"]
        for (index, room) in order.enumerated() {
            #expect(manifest.closure(of: room).isDisjoint(with: order.dropFirst(index + 1)), "\(room)")
        }
        let joined = manifest.targets.filter {
            $0.value.type == "regular" && $0.value.dependencies.isSuperset(of: Self.rooms)
        }
        #expect(joined.keys.contains("Flows"))
        #expect(joined.keys.allSatisfy { ["Flows", "Server", "Support"].contains($0) })
    }

    @Test("What attacks shares nothing with what is attacked", arguments: ["AttackLab", "Naive"])
    func attackers(target: String) async throws {
        let reached = try await Manifest().closure(of: target)
        #expect(
            reached.isDisjoint(
                with: Self.rooms.union([
                    "Server", "Flows", "Sealing", "Providers", "Firebase", "OAuth", "JOSE", "Documents", "Stores",
                    "SQLiteStores", "PostgresStores", "Settings", "Sandbox", "OperatorMinting",
                ])))
        #expect(!(try await Manifest().closure(of: "Server")).contains(target))
    }

    @Test("What only computes reaches no transport that opens sockets, and no store")
    func withoutInput() async throws {
        let manifest = try await Manifest()
        for room in ["JOSE", "OAuth", "Providers", "Firebase", "Exchange", "Verification", "Accounts", "Minting"] {
            #expect(
                manifest.closure(of: room).isDisjoint(with: ["Curl", "CCurl", "SQLiteStores", "Server"]), "\(room)")
        }
    }

    @Test("A target that wants C in a room above the cellar would be found out")
    func control() async throws {
        let manifest = try await Manifest()
        #expect(manifest.targets["OpenSSL"]?.dependencies == ["COpenSSL"])
        #expect(manifest.closure(of: "token-exchange").isSuperset(of: ["OperatorMinting", "Server"]))
    }
}
