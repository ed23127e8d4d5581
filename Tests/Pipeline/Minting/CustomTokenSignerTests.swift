import Firebase
import JOSE
import Jansson
import Minting
import OpenSSL
import Standards
import Support
import Testing

@Suite("Signers of custom tokens")
struct CustomTokenSignerTests {
    @Test("A service account without a key id signs without kid")
    func noKeyID() async throws {
        let account = try ServiceAccount.parse(Deployment.serviceAccountFile(changing: ["private_key_id": nil]))
        let signer = try CustomTokenSigner(serviceAccount: account, threadCount: 1)
        let token = try MintedToken(Secret(try await signer.signedToken()))
        #expect(token.header == .object(["alg": .string("RS256"), "typ": .string("JWT")]))
        #expect(try token.isSigned(by: TestKeys.shared.account.publicKey))
    }

    @Test("Tokens for the emulator are unsigned: alg none, an empty third part, and a fixed issuer")
    func emulator() async throws {
        let text = try await CustomTokenSigner.unsignedForEmulator().signedToken()
        #expect(text.hasSuffix("."))
        let token = try MintedToken(Secret(text))
        #expect(token.header == .object(["alg": .string("none"), "typ": .string("JWT")]))
        #expect(token.signature.isEmpty)
        #expect(token.payload["iss"] == .string("firebase-auth-emulator@example.com"))
        #expect(token.payload["sub"] == .string("firebase-auth-emulator@example.com"))
        #expect(token.payload["aud"] == .string(CustomTokenClaims.audience))
        #expect(token.payload["uid"] == .string("u"))
    }

    @Test("MT-09: A hundred parallel signatures each belong to their own token")
    func parallel() async throws {
        let signer = try CustomTokenSigner(
            serviceAccount: Deployment.serviceAccount(), threadCount: 2)
        let key = try TestKeys.shared.account.publicKey
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let token = try MintedToken(Secret(try await signer.signedToken(uid: "u\(number)")))
                    #expect(token.payload["uid"] == .string("u\(number)"))
                    #expect(token.isSigned(by: key))
                }
            }
            try await group.waitForAll()
        }
    }
}
