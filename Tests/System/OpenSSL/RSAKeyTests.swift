import Fixtures
import Foundation
import OpenSSL
import Testing

@Suite("RSA keys")
struct RSAKeyTests {
    let message = Array("message".utf8)

    @Test("A public key verifies only its own key's signature of the same message")
    func signature() throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let signature = try key.signature(for: message)
        #expect(signature.count == 256)
        #expect(key.publicKey.isValid(signature: signature, for: message))
        #expect(!key.publicKey.isValid(signature: signature, for: message + [0]))
        #expect(!key.publicKey.isValid(signature: [], for: message))
        #expect(!key.publicKey.isValid(signature: signature + [0], for: message))
        #expect(!key.publicKey.isValid(signature: Array(signature.dropLast()), for: message))
        #expect(!key.publicKey.isValid(signature: [UInt8](repeating: 0, count: 256), for: message))
        var changed = signature
        changed[100] ^= 1
        #expect(!key.publicKey.isValid(signature: changed, for: message))
        let other = try RSAPrivateKey.generate()
        #expect(!other.publicKey.isValid(signature: signature, for: message))
        #expect(errorQueueIsEmpty())
    }

    @Test("PKCS#8 and PKCS#1 contain the same key; SubjectPublicKeyInfo and certificate contain its public key")
    func forms() throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let signature = try key.signature(for: message)
        #expect(try RSAPrivateKey(pem: Fixtures.pem("rsa-2048-pkcs1")).signature(for: message) == signature)
        for form in ["rsa-2048-public", "rsa-2048-certificate"] {
            let publicKey = try RSAPublicKey(pem: Fixtures.pem(form))
            #expect(publicKey.modulus == key.publicKey.modulus)
            #expect(publicKey.exponent == [1, 0, 1])
            #expect(publicKey.bitCount == 2048)
            #expect(publicKey.isValid(signature: signature, for: message))
        }
        #expect(errorQueueIsEmpty())
    }

    @Test("A generated key is the same after it is written and read")
    func generation() throws {
        let key = try RSAPrivateKey.generate()
        let pem = try key.pem()
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let read = try RSAPrivateKey(pem: pem)
        #expect(read.publicKey.modulus == key.publicKey.modulus)
        #expect(read.publicKey.bitCount == 2048)
        #expect(try read.signature(for: message) == key.signature(for: message))
    }

    @Test(
        "KY-01: a file without an RSA private key of 2048 to 4096 bits is refused with the reason",
        arguments: [
            ("rsa-1024", KeyError.unsupportedSize(bits: 1024)),
            ("rsa-4104", .unsupportedSize(bits: 4104)),
            ("rsa-2048-encrypted", .encrypted),
            ("rsa-2048-pkcs1-encrypted", .encrypted),
            ("rsa-2048-certificate", .certificateInsteadOfKey),
            ("rsa-2048-public", .publicKeyInsteadOfPrivate),
            ("rsa-pss-2048", .wrongType(expected: .rsa, found: .other)),
            ("p256", .wrongType(expected: .rsa, found: .p256)),
            ("p256-sec1", .wrongType(expected: .rsa, found: .p256)),
            ("p384", .wrongType(expected: .rsa, found: .otherCurve)),
            ("ed25519", .wrongType(expected: .rsa, found: .other)),
        ])
    func refusedFiles(name: String, error: KeyError) throws {
        let pem = try Fixtures.pem(name)
        #expect(throws: error) { try RSAPrivateKey(pem: pem) }
        #expect(errorQueueIsEmpty())
    }

    @Test(
        "KY-01: text that is no key is refused",
        arguments: [
            "", "x", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----\n",
            "-----BEGIN SOMETHING-----\nMAA=\n-----END SOMETHING-----\n",
        ])
    func garbage(text: String) {
        #expect(throws: KeyError.malformed) { try RSAPrivateKey(pem: text) }
        #expect(throws: KeyError.malformed) {
            try RSAPublicKey(pem: text.replacing("PRIVATE KEY", with: "PUBLIC KEY"))
        }
        #expect(errorQueueIsEmpty())
    }

    @Test("An encrypted key with the label of an unencrypted one is refused, without a prompt for a passphrase")
    func mislabelledEncryption() throws {
        let pem = try Fixtures.pem("rsa-2048-encrypted")
            .replacing("ENCRYPTED PRIVATE KEY", with: "PRIVATE KEY")
        #expect(throws: KeyError.malformed) { try RSAPrivateKey(pem: pem) }
        #expect(errorQueueIsEmpty())
    }

    @Test("A private key is refused as a public key, and so is a P-256 key")
    func privateInsteadOfPublic() throws {
        let pem = try Fixtures.pem("rsa-2048")
        #expect(throws: KeyError.privateKeyInsteadOfPublic) { try RSAPublicKey(pem: pem) }
        let curve = try Fixtures.pem("p256-public")
        #expect(throws: KeyError.wrongType(expected: .rsa, found: .p256)) { try RSAPublicKey(pem: curve) }
    }

    @Test("A modulus may have leading zero octets, which do not count in its size")
    func leadingZeros() throws {
        let key = try RSAPublicKey(pem: Fixtures.pem("rsa-2048-public"))
        let padded = try RSAPublicKey(modulus: [0, 0] + key.modulus, exponent: [0, 1, 0, 1])
        #expect(padded.modulus == key.modulus)
        #expect(padded.exponent == [1, 0, 1])
        #expect(padded.bitCount == 2048)
    }

    @Test("A public exponent is odd, at least 3 and at most 64 bits long")
    func exponents() throws {
        let modulus = try RSAPublicKey(pem: Fixtures.pem("rsa-2048-public")).modulus
        for weak: [UInt8] in [[], [0], [1], [0, 1], [2], [1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 1]] {
            #expect(throws: KeyError.weakExponent) { try RSAPublicKey(modulus: modulus, exponent: weak) }
        }
        for fit: [UInt8] in [[3], [17], [1, 0, 1], [0x80, 0, 0, 0, 0, 0, 0, 1]] {
            #expect(try RSAPublicKey(modulus: modulus, exponent: fit).exponent == fit)
        }
    }

    @Test("A modulus is odd and has 2048 to 4096 bits")
    func moduli() {
        func modulus(bitCount: Int) -> [UInt8] {
            [UInt8](repeating: 0xff, count: (bitCount + 7) / 8).enumerated().map { index, byte in
                index == 0 ? byte >> ((8 - bitCount % 8) % 8) : byte
            }
        }
        for bits in [0, 8, 1024, 2047, 4097, 8192] {
            #expect(throws: KeyError.unsupportedSize(bits: bits)) {
                try RSAPublicKey(modulus: modulus(bitCount: bits), exponent: [1, 0, 1])
            }
        }
        for bits in [2048, 2048, 4096] {
            #expect(throws: Never.self) { try RSAPublicKey(modulus: modulus(bitCount: bits), exponent: [1, 0, 1]) }
        }
        #expect(throws: KeyError.malformed) {
            try RSAPublicKey(modulus: modulus(bitCount: 2048).dropLast() + [0xfe], exponent: [1, 0, 1])
        }
        #expect(errorQueueIsEmpty())
    }
}

/// Tests of arithmetic faults in a signature that uses the Chinese remainder theorem.
///
/// One faulty signature would reveal the key (Boneh, DeMillo, Lipton 1997).
@Suite("RSA signing faults")
struct RSAFaultTests {
    /// The members of an RSA private key, in the order of RFC 8017, appendix A.1.2.
    enum Member: Int, CaseIterable {
        case version, modulus, publicExponent, privateExponent, prime1, prime2, exponent1, exponent2, coefficient
    }

    let message = Array("message".utf8)

    @Test(
        "KY-03: a fault in a CRT member never changes a signature",
        arguments: [Member.exponent1, .exponent2, .coefficient], [1, 64, 127])
    func faultInCRT(member: Member, byte: Int) throws {
        let pem = try Fixtures.pem("rsa-2048-pkcs1")
        let honest = try RSAPrivateKey(pem: pem).signature(for: message)
        let faulty = try RSAPrivateKey(pem: try flippingBit(of: [member], byte: byte, in: pem))
        for _ in 0..<20 {
            #expect(try faulty.signature(for: message) == honest)
        }
        #expect(errorQueueIsEmpty())
    }

    @Test("KY-03: a fault in a prime gives the correct signature or none", arguments: [Member.prime1, .prime2])
    func faultInPrime(member: Member) throws {
        let pem = try Fixtures.pem("rsa-2048-pkcs1")
        let honest = try RSAPrivateKey(pem: pem).signature(for: message)
        for byte in [1, 64, 127] {
            let changed = try flippingBit(of: [member], byte: byte, in: pem)
            guard let faulty = try? RSAPrivateKey(pem: changed) else { continue }
            let signature = try? faulty.signature(for: message)
            #expect(signature == nil || signature == honest)
        }
        #expect(errorQueueIsEmpty())
    }

    @Test(
        "A fault in both a CRT member and the private exponent is detected, so the faults of these tests are effective")
    func faultIsReal() throws {
        let pem = try Fixtures.pem("rsa-2048-pkcs1")
        let honest = try RSAPrivateKey(pem: pem).signature(for: message)
        // The private exponent is not used if the CRT result is correct.
        let exponent = try RSAPrivateKey(pem: try flippingBit(of: [.privateExponent], byte: 64, in: pem))
        #expect(try exponent.signature(for: message) == honest)
        // It is used if the CRT result is wrong.
        let both = try flippingBit(of: [.privateExponent, .exponent1], byte: 64, in: pem)
        #expect(throws: KeyError.halvesDoNotMatch) { try RSAPrivateKey(pem: both) }
        #expect(errorQueueIsEmpty())
    }

    @Test("A private key with the modulus of another key is refused when it is loaded")
    func halvesOfTwoKeys() throws {
        let changed = try flippingBit(of: [.modulus], byte: 100, in: try Fixtures.pem("rsa-2048-pkcs1"))
        #expect(throws: KeyError.halvesDoNotMatch) { try RSAPrivateKey(pem: changed) }
        #expect(errorQueueIsEmpty())
    }

    /// Flips a bit of the named members; `byte` counts from the most significant byte.
    private func flippingBit(of members: [Member], byte: Int, in pem: String) throws -> String {
        let base64 = pem.split(separator: "\n").filter { !$0.contains(" ") }.joined()
        var der = Array(try #require(Data(base64Encoded: base64)))
        var offset = 0
        _ = length(in: der, at: &offset)
        for member in Member.allCases {
            let count = length(in: der, at: &offset)
            let sign = der[offset] == 0 ? 1 : 0
            if members.contains(member) { der[offset + sign + byte] ^= 0x10 }
            offset += count
        }
        return """
            -----BEGIN RSA PRIVATE KEY-----
            \(Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))
            -----END RSA PRIVATE KEY-----

            """
    }

    /// Reads tag and length (X.690 §8.1.3) and leaves `offset` at the content.
    private func length(in der: [UInt8], at offset: inout Int) -> Int {
        let first = Int(der[offset + 1])
        offset += 2
        guard first >= 0x80 else { return first }
        let octets = der[offset..<(offset + first - 0x80)]
        offset += octets.count
        return octets.reduce(0) { $0 << 8 | Int($1) }
    }
}
