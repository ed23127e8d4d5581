import JOSE
import Jansson
import OpenSSL
import Testing

/// Tests with the vectors of C2SP/wycheproof, read from the folder in `WYCHEPROOF_VECTORS`.
///
/// The verifier supports only RS256 and ES256, so its results differ from those of the files for other algorithms.
@Suite("Wycheproof", .enabled(if: WycheproofFile.folder != nil, "WYCHEPROOF_VECTORS names no folder"))
struct WycheproofTests {
    @Test("Of 401 JWS the verifier accepts exactly 10")
    func jsonWebSignature() throws {
        let file = try WycheproofFile("json_web_signature_test", type: "JsonWebSignature")
        var accepted: Set<Int64> = []
        for (group, vector) in file.vectors {
            // Groups with a secret have no public key.
            let key = try #require(group["public"] ?? group["private"])
            if try verifies(vector, keys: .object(["keys": .array([key])])) { accepted.insert(vector.id) }
        }
        #expect(file.vectors.count == 401)
        #expect(accepted == [18, 33, 259, 260, 261, 262, 263, 345, 349, 378])
    }

    @Test("Of 26 key sets the verifier uses exactly 1")
    func jsonWebKey() throws {
        let file = try WycheproofFile("json_web_key_test", type: "JsonWebKey")
        var accepted: Set<Int64> = []
        for (group, vector) in file.vectors {
            if try verifies(vector, keys: try #require(group["public"] ?? group["private"])) {
                accepted.insert(vector.id)
            }
        }
        #expect(file.vectors.count == 26)
        #expect(accepted == [5])
    }

    @Test(
        "RSASSA-PKCS1-v1_5 with SHA-256: only the valid signatures verify",
        arguments: [(2048, 259, 9), (3072, 259, 8), (4096, 258, 7)])
    func rsa(bitCount: Int, count: Int, validCount: Int) throws {
        let file = try WycheproofFile("rsa_signature_\(bitCount)_sha256_test", type: "RsassaPkcs1Verify")
        var verified = 0
        for (group, vector) in file.vectors {
            try #require(group["sha"] == .string("SHA-256"))
            let key = try RSAPublicKey(
                modulus: try #require(group["publicKey"]?["modulus"]?.hexadecimal),
                exponent: try #require(group["publicKey"]?["publicExponent"]?.hexadecimal))
            #expect(key.bitCount == bitCount)
            let isValid = key.isValid(signature: try vector.bytes("sig"), for: try vector.bytes("msg"))
            // The only acceptable vector omits the NULL of the digest's AlgorithmIdentifier. The verifier refuses it.
            #expect(isValid == (vector.result == "valid"), "tcId \(vector.id)")
            if isValid { verified += 1 }
        }
        #expect(file.vectors.count == count)
        #expect(verified == validCount)
        #expect(errorQueueIsEmpty())
    }

    @Test("ECDSA on P-256 with SHA-256 as r‖s: only the valid signatures verify")
    func ecdsa() throws {
        let file = try WycheproofFile("ecdsa_secp256r1_sha256_p1363_test", type: "EcdsaP1363Verify")
        var verified = 0
        for (group, vector) in file.vectors {
            try #require(group["sha"] == .string("SHA-256"))
            let key = try ECPublicKey(
                x: try #require(group["publicKey"]?["wx"]?.hexadecimal),
                y: try #require(group["publicKey"]?["wy"]?.hexadecimal))
            let isValid = key.isValid(signature: try vector.bytes("sig"), for: try vector.bytes("msg"))
            #expect(isValid == (vector.result == "valid"), "tcId \(vector.id)")
            if isValid { verified += 1 }
        }
        #expect(file.vectors.count == 262)
        #expect(verified == 173)
        #expect(errorQueueIsEmpty())
    }

    private func verifies(_ vector: WycheproofFile.Vector, keys: JSON) throws -> Bool {
        let text = try #require(vector.members["jws"]?.string)
        let keys = try JWKSet.parse(keys.serialized())
        do throws(JOSEError) {
            let jws = try CompactJWS.parse(text)
            _ = try JWSVerifier.verifiedPayload(of: jws, keys: keys, algorithms: [.rs256, .es256])
            return true
        } catch {
            return false
        }
    }
}
