import Testing

/// Tests that only `Minting` signs for a uid, and that only `SigningProcess` and the operator's commands may request that.
@Suite("Signing for a uid", .serialized, .timeLimit(.minutes(10)))
struct SigningTests {
    private static let signers: Set = ["Minting", "SigningProcess"]

    /// The targets that reach the signer, without the two that use it and without tests.
    private static let others: Set = ["Flows", "Server", "Support", "token-exchange", "token-exchange-lab"]

    @Test("Exactly these targets reach the signer")
    func reach() async throws {
        let manifest = try await Manifest()
        let reaching = manifest.targets.filter { name, target in
            target.type != "test" && manifest.closure(of: name).contains("Minting")
        }
        #expect(Set(reaching.keys) == Self.others.union(Self.signers))
    }

    @Test("With the imports of any of these targets, signing for a uid does not compile", arguments: others.sorted())
    func refused(target: String) async throws {
        let dependencies = try await Manifest().targets[target]?.dependencies ?? []
        // These modules need no C module of a package.
        let modules = dependencies.union(Snippet.signingModules).intersection([
            "Accounts", "Exchange", "Firebase", "Flows", "JOSE", "Jansson", "Minting", "OpenSSL", "Providers",
            "Standards", "Stores", "Transport", "Verification",
        ])
        let imports = modules.sorted().map { "import \($0)\n" }.joined()
        #expect(
            try await Compiler.errors(in: imports + Snippet.signing)
                == ["'token' is inaccessible due to 'package' protection level"])
        #expect(
            try await Compiler.errors(in: imports + Snippet.claims)
                == ["'CustomTokenClaims' initializer is inaccessible due to 'internal' protection level"])
        #expect(
            try await Compiler.errors(in: imports + Snippet.key)
                == ["'privateKey' is inaccessible due to 'package' protection level"])
    }

    @Test("Only the operator's commands and the signer import the interfaces, and only the signer reads the key")
    func interfaces() throws {
        #expect(
            Set(try ManifestTests.sources { $0.contains("_spi(OperatorMinting)") }) == [
                "Pipeline/Minting/CustomTokenSigner.swift", "Command/Mint.swift", "Command/Doctor/GoogleChecks.swift",
                "Lab/Command/Bench/Bench.swift",
            ])
        #expect(
            Set(try ManifestTests.sources { $0.contains("_spi(CustomTokenSigning)") }) == [
                "Firebase/ServiceAccount.swift", "Pipeline/Minting/CustomTokenSigner.swift",
            ])
        #expect(
            Set(try ManifestTests.sources { $0.contains("_spi(SigningProcess)") }) == [
                "Pipeline/Minting/CustomTokenSigner.swift", "Pipeline/SigningProcess/SignerService.swift",
            ])
        // The product has no fourth interface, and no target of it is imported for testing.
        #expect(
            try ManifestTests.sources { text in
                text.contains("@testable")
                    || text.contains(/_spi\((?!OperatorMinting\)|CustomTokenSigning\)|SigningProcess\))/)
            } == [])
    }
}
