import Fixtures
import Foundation
import OpenSSL
import Testing

/// What happens when the arithmetic goes wrong inside a signature with the Chinese remainder theorem: one faulty
/// signature would give the key away (Boneh, DeMillo, Lipton 1997).
@Suite("RSA signing faults")
struct RSAFaultTests {
    /// RFC 8017, appendix A.1.2, in order.
    enum Member: Int, CaseIterable {
        case version, modulus, publicExponent, privateExponent, prime1, prime2, exponent1, exponent2, coefficient
    }

    let message = Array("message".utf8)

    @Test(
        "KY-03: a fault in a CRT member never reaches a signature",
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

    @Test("KY-03: a fault in a prime gives the right signature or none", arguments: [Member.prime1, .prime2])
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

    @Test("The faults above do reach the arithmetic: without a way around the CRT members there is no key")
    func faultIsReal() throws {
        let pem = try Fixtures.pem("rsa-2048-pkcs1")
        let honest = try RSAPrivateKey(pem: pem).signature(for: message)
        // The private exponent alone is not used as long as the CRT result is right …
        let exponent = try RSAPrivateKey(pem: try flippingBit(of: [.privateExponent], byte: 64, in: pem))
        #expect(try exponent.signature(for: message) == honest)
        // … and is used where it is wrong.
        let both = try flippingBit(of: [.privateExponent, .exponent1], byte: 64, in: pem)
        #expect(throws: KeyError.halvesDoNotMatch) { try RSAPrivateKey(pem: both) }
        #expect(errorQueueIsEmpty())
    }

    @Test("A private key with another key's modulus is refused at loading")
    func halvesOfTwoKeys() throws {
        let changed = try flippingBit(of: [.modulus], byte: 100, in: try Fixtures.pem("rsa-2048-pkcs1"))
        #expect(throws: KeyError.halvesDoNotMatch) { try RSAPrivateKey(pem: changed) }
        #expect(errorQueueIsEmpty())
    }

    /// The byte is counted from the most significant one of the number.
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
