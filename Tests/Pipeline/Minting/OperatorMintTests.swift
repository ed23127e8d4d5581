import Firebase
import JOSE
import Jansson
@_spi(OperatorMinting) import Minting
import OpenSSL
import Standards
import Support
import Testing

@Suite("Operator's mint")
struct OperatorMintTests {
    private func token(
        uid: String = "operator", claims: [String: JSON] = [:], tenantID: String? = nil,
        lifetime: Duration = .seconds(60), by signer: CustomTokenSigner? = nil
    ) async throws -> MintedToken {
        let signer = try signer ?? CustomTokenSigner(serviceAccount: Deployment.serviceAccount(), threadCount: 1)
        return try MintedToken(
            Secret(
                try await signer.token(
                    uid: uid, developerClaims: DeveloperClaims(claims), tenantID: tenantID,
                    issuedAt: TestClock.start, lifetime: lifetime)))
    }

    @Test("A token for any uid, with claims of the operator")
    func baseline() async throws {
        let token = try await token(claims: ["admin": .bool(true)], tenantID: "t")
        #expect(try token.isSigned(by: TestKeys.shared.account.publicKey))
        #expect(token.payload["uid"] == .string("operator"))
        #expect(token.payload["claims"] == .object(["admin": .bool(true)]))
        #expect(token.payload["tenant_id"] == .string("t"))
        #expect(token.payload["iat"] == .integer(1_700_000_000))
        #expect(token.payload["exp"] == .integer(1_700_000_060))
    }

    @Test("The lifetime is at most an hour")
    func lifetime() async throws {
        #expect(try await token(lifetime: .seconds(9999)).payload["exp"] == .integer(1_700_003_600))
    }

    @Test("A uid has 1 to 128 UTF-16 code units")
    func uid() async throws {
        #expect(
            try await token(uid: String(repeating: "a", count: 128)).payload["uid"]
                == .string(String(repeating: "a", count: 128)))
        for uid in ["", String(repeating: "a", count: 129), String(repeating: "\u{1F511}", count: 65)] {
            await #expect(throws: MintingError.uidLength) { try await token(uid: uid) }
        }
    }

    @Test("Claims have to meet the same rules as those of the configuration")
    func claims() async throws {
        await #expect(throws: MintingError.reservedClaim("sub")) { try await token(claims: ["sub": .null]) }
        await #expect(throws: MintingError.claimsTooLarge(bytes: 1001)) {
            try await token(claims: ["k": .string(String(repeating: "a", count: 993))])
        }
    }

    @Test("Without a signature there is no token")
    func noSignature() async throws {
        await #expect(throws: MintingError.overloaded) { try await token(by: .overloaded()) }
    }
}
