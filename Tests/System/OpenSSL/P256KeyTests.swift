import Fixtures
import Foundation
import OpenSSL
import Testing

@Suite("P-256 keys")
struct P256KeyTests {
    let message = Array("message".utf8)
    /// The base point of the curve (SEC 2 §2.4.2), a valid public key.
    let x = bytes(hexadecimal: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    let y = bytes(hexadecimal: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    /// The order of the group.
    let n = bytes(hexadecimal: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    /// The prime of the field.
    let p = bytes(hexadecimal: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")

    @Test("A public key verifies only its own key's signature of the same message")
    func signature() throws {
        let key = try P256PrivateKey(pem: Fixtures.pem("p256"))
        for _ in 0..<300 {
            // r or s begins with a zero octet once in 128 signatures.
            let signature = try key.signature(for: message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(signature: signature, for: message))
        }
        let signature = try key.signature(for: message)
        #expect(!key.publicKey.isValid(signature: signature, for: message + [0]))
        for index in [0, 31, 32, 63] {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.publicKey.isValid(signature: changed, for: message))
        }
        #expect(!(try P256PrivateKey.generate()).publicKey.isValid(signature: signature, for: message))
        #expect(errorQueueIsEmpty())
    }

    @Test("IDT-56: r and s of 0, 1, n − 1, n or more, and lengths other than 64 bytes, are not valid signatures")
    func edges() throws {
        let key = try P256PrivateKey(pem: Fixtures.pem("p256"))
        let zero = [UInt8](repeating: 0, count: 32)
        let one: [UInt8] = zero.dropLast() + [1]
        let nMinus1: [UInt8] = n.dropLast() + [0x50]
        let edges = [zero, one, nMinus1, n, [UInt8](repeating: 0xff, count: 32)]
        for r in edges {
            for s in edges {
                #expect(!key.publicKey.isValid(signature: r + s, for: message))
            }
        }
        let signature = try key.signature(for: message)
        for count in [0, 1, 32, 63] {
            #expect(!key.publicKey.isValid(signature: Array(signature.prefix(count)), for: message))
        }
        #expect(!key.publicKey.isValid(signature: signature + [0], for: message))
        #expect(!key.publicKey.isValid(signature: [0] + signature, for: message))
        let parted = signature.prefix(32) + [0] + signature.suffix(32)
        #expect(!key.publicKey.isValid(signature: Array(parted), for: message))
        #expect(errorQueueIsEmpty())
    }

    @Test("Every accepted form contains the same key")
    func forms() throws {
        let key = try P256PrivateKey(pem: Fixtures.pem("p256"))
        for form in ["p256-public", "p256-certificate"] {
            let publicKey = try ECPublicKey(pem: Fixtures.pem(form))
            #expect(publicKey.x == key.publicKey.x)
            #expect(publicKey.y == key.publicKey.y)
        }
        let read = try P256PrivateKey(pem: key.pem())
        #expect(read.publicKey.x == key.publicKey.x)
        let other = try P256PrivateKey(pem: Fixtures.pem("p256-sec1"))
        #expect(other.publicKey.x != key.publicKey.x)
        #expect(other.publicKey.isValid(signature: try other.signature(for: message), for: message))
        #expect(errorQueueIsEmpty())
    }

    @Test(
        "A file without a P-256 private key is refused with the reason",
        arguments: [
            ("rsa-2048", KeyError.wrongType(expected: .p256, found: .rsa)),
            ("p384", .wrongType(expected: .p256, found: .otherCurve)),
            ("ed25519", .wrongType(expected: .p256, found: .other)),
            ("p256-public", .publicKeyInsteadOfPrivate),
            ("p256-certificate", .certificateInsteadOfKey),
            ("rsa-2048-encrypted", .encrypted),
        ])
    func refusedFiles(name: String, error: KeyError) throws {
        let pem = try Fixtures.pem(name)
        #expect(throws: error) { try P256PrivateKey(pem: pem) }
        #expect(errorQueueIsEmpty())
    }

    @Test("A private key with the public part of another key is refused when it is loaded")
    func halvesOfTwoKeys() throws {
        let pem = try #require(Fixtures.pem("p256-sec1").split(separator: "-----END EC PARAMETERS-----\n").last)
        let base64 = pem.split(separator: "\n").filter { !$0.contains(" ") }.joined()
        // RFC 5915 §3: the public key is the last field.
        let der = Data(try #require(Data(base64Encoded: base64)).dropLast(64)) + Data(x + y)
        let text =
            "-----BEGIN EC PRIVATE KEY-----\n\(der.base64EncodedString())\n-----END EC PRIVATE KEY-----\n"
        #expect(throws: KeyError.halvesDoNotMatch) { try P256PrivateKey(pem: text) }
        #expect(errorQueueIsEmpty())
    }

    @Test("A private key is refused as a public key, and so is an RSA certificate")
    func privateInsteadOfPublic() throws {
        let pem = try Fixtures.pem("p256")
        #expect(throws: KeyError.privateKeyInsteadOfPublic) { try ECPublicKey(pem: pem) }
        let rsa = try Fixtures.pem("rsa-2048-certificate")
        #expect(throws: KeyError.wrongType(expected: .p256, found: .rsa)) { try ECPublicKey(pem: rsa) }
    }

    @Test("Coordinates may have additional or missing leading zero octets")
    func leadingZeros() throws {
        let padded = try ECPublicKey(x: [0] + x, y: [0, 0, 0] + y)
        #expect(padded.x == x)
        #expect(padded.y == y)
        var key = try P256PrivateKey.generate().publicKey
        while key.x[0] != 0 { key = try P256PrivateKey.generate().publicKey }
        #expect(try ECPublicKey(x: Array(key.x.dropFirst()), y: key.y).x == key.x)
    }

    @Test("Coordinates that are no point of the curve are refused")
    func offCurve() {
        var elsewhere = y
        elsewhere[31] ^= 1
        let zero = [UInt8](repeating: 0, count: 32)
        for (x, y) in [(x, elsewhere), (y, x), (zero, zero), (x, p), (p, y), ([1] + x, y), (x, [1] + y)] {
            #expect(throws: KeyError.pointNotOnCurve) { try ECPublicKey(x: x, y: y) }
        }
        #expect(errorQueueIsEmpty())
    }

    @Test("An empty coordinate is refused, and is not the coordinate zero")
    func empty() {
        // x = 0 has a point: y is a square root of b.
        let root = bytes(hexadecimal: "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
        #expect(throws: Never.self) { try ECPublicKey(x: [0], y: root) }
        #expect(throws: KeyError.malformed) { try ECPublicKey(x: [], y: root) }
        #expect(throws: KeyError.malformed) { try ECPublicKey(x: x, y: []) }
    }
}
