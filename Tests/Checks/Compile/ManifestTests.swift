import Fixtures
import Foundation
import Testing

@Suite("Import rules of the manifest", .serialized, .timeLimit(.minutes(10)))
struct ManifestTests {
    private static let components: Set = ["Exchange", "Verification", "Accounts", "Minting"]

    @Test("The server reaches neither the process of the signer nor the stand-ins")
    func server() async throws {
        let reached = try await Manifest().closure(of: "Server")
        // This shows that the closure is complete, without which the next line would prove nothing.
        #expect(reached.isSuperset(of: Self.components.union(["Firebase", "OpenSSL", "COpenSSL"])))
        #expect(
            reached.isDisjoint(with: ["SigningProcess", "Sandbox", "Settings", "token-exchange"]))
    }

    @Test("Only programs and tests depend on the process of the signer and on the stand-ins")
    func programs() async throws {
        let manifest = try await Manifest()
        let guards = [
            ("SigningProcess", "token-exchange"), ("Sandbox", "token-exchange-lab"),
        ]
        for (guarded, program) in guards {
            let users = manifest.targets.filter { $0.value.dependencies.contains(guarded) }
            #expect(users.keys.contains(program))
            for (name, user) in users {
                #expect(user.type == "executable" || user.path.hasPrefix("Tests/"), "\(name)")
            }
        }
    }

    @Test("The stand-ins share no code with the components that they test")
    func sandbox() async throws {
        #expect(
            try await Manifest().closure(of: "Sandbox").isDisjoint(
                with: Self.components.union(["Flows", "Standards", "Server"])))
    }

    @Test("Only the C wrappers and their tests depend on C")
    func wrappers() async throws {
        let manifest = try await Manifest()
        let libraries = Set(manifest.targets.filter { $0.value.type == "system" }.keys)
        #expect(libraries == ["COpenSSL", "CCurl", "CJansson", "CLibpq", "CLinux"])
        for (name, target) in manifest.targets where !target.dependencies.isDisjoint(with: libraries) {
            let folders = ["Sources/System/", "Sources/Lab/System", "Tests/System"]
            #expect(folders.contains(where: target.path.hasPrefix), "\(name)")
        }
    }

    @Test("No source file outside the C wrappers imports C")
    func imports() throws {
        let importers = try Self.sources { text in
            ["COpenSSL", "CCurl", "CJansson", "CLibpq", "CLinux"].contains { text.contains("import \($0)") }
        }
        #expect(importers.allSatisfy { $0.hasPrefix("System/") || $0.hasPrefix("Lab/System/") })
        #expect(importers.count > 10)
    }

    @Test("Only Verification seals and opens identities, since an opened identity counts as verified")
    func identities() throws {
        #expect(
            try Self.sources { $0.contains(/as: (StoredKind)?\.identity\b/) } == [
                "Pipeline/Verification/IdentitySeal.swift"
            ])
        // No source names a kind in another way.
        #expect(try Self.sources { $0.contains("StoredKind(") || $0.contains("StoredKind = ") } == [])
    }

    @Test("Unsigned tokens are parsed only for the Firebase emulator")
    func unsecured() throws {
        #expect(
            Set(try Self.sources { $0.contains("UnsecuredJWS") }) == [
                "Standards/JOSE/UnsecuredJWS.swift", "Firebase/IDTokens/FirebaseIDTokenVerifier.swift",
            ])
    }

    /// The Swift files under `Sources` whose text meets the condition.
    static func sources(where isMeant: (String) -> Bool) throws -> [String] {
        let sources = Fixtures.repository.appending(path: "Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.resolvingSymlinksInPath().path)
            .filter { $0.hasSuffix(".swift") }
        #expect(files.count > 100)
        return try files.filter { isMeant(try String(contentsOf: sources.appending(path: $0), encoding: .utf8)) }
    }

    @Test("No component depends on a later one of the pipeline")
    func order() async throws {
        let manifest = try await Manifest()
        let order = ["Exchange", "Verification", "Accounts", "Minting", "Flows", "Server"]
        for (index, component) in order.enumerated() {
            #expect(manifest.closure(of: component).isDisjoint(with: order.dropFirst(index + 1)), "\(component)")
        }
        let joined = manifest.targets.filter {
            $0.value.type == "regular" && $0.value.dependencies.isSuperset(of: Self.components)
        }
        #expect(joined.keys.contains("Flows"))
        #expect(joined.keys.allSatisfy { ["Flows", "Server", "Support"].contains($0) })
    }

    @Test("The attacks and the naive backend share no code with the server")
    func attackers() async throws {
        let reached = try await Manifest().closure(of: "AttackLab")
        #expect(
            reached.isDisjoint(
                with: Self.components.union([
                    "Server", "Flows", "Providers", "Firebase", "Standards", "JOSE", "Stores", "SQLiteStores",
                    "PostgresStores", "FirestoreStores", "Settings", "Sandbox",
                ])))
        #expect(!(try await Manifest().closure(of: "Server")).contains("AttackLab"))
    }

    @Test("The library for applications uses no other code of this package, no package and no C")
    func client() async throws {
        #expect(try await Manifest().closure(of: "TokenExchangeClient") == ["TokenExchangeClient"])
        let allowed: Set = [
            "AppKit", "AuthenticationServices", "CryptoKit", "Darwin", "Dispatch", "Foundation",
            "FoundationNetworking", "Glibc", "Musl", "UIKit",
        ]
        let others = try Self.sources { text in
            text.matches(of: /(?m)^ *(?:public |internal )?import ([A-Za-z]+)$/).contains {
                !allowed.contains(String($0.output.1))
            }
        }
        #expect(!others.contains { $0.hasPrefix("TokenExchangeClient/") && !$0.contains("/Examples/") })
        #expect(others.contains("TokenExchangeClient/Examples/SignInWithFirebase.swift"))
    }

    @Test("Components that only compute reach no transport with sockets, and no store")
    func withoutInput() async throws {
        let manifest = try await Manifest()
        for component in [
            "JOSE", "Standards", "Providers", "Firebase", "Exchange", "Verification", "Accounts", "Minting",
        ] {
            #expect(
                manifest.closure(of: component).isDisjoint(with: [
                    "Curl", "CCurl", "LocalSockets", "SQLiteStores", "FirestoreStores", "Server",
                ]),
                "\(component)")
        }
    }

    @Test("The closure contains C and the signer where they are allowed, so violations would be found")
    func control() async throws {
        let manifest = try await Manifest()
        #expect(manifest.targets["OpenSSL"]?.dependencies == ["COpenSSL"])
        #expect(manifest.closure(of: "token-exchange").isSuperset(of: ["SigningProcess", "Server"]))
    }
}
