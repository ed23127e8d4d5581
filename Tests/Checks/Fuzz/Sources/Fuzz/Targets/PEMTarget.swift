import Foundation
import OpenSSL

/// Keys and certificates: PEM text, or one octet that chooses the label, followed by DER.
enum PEMTarget {
    private static let labels = [
        "PUBLIC KEY", "CERTIFICATE", "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "EC PARAMETERS",
        "RSA PUBLIC KEY", "TRUSTED CERTIFICATE",
    ]

    static func check(_ input: [UInt8]) {
        if let text = String(validating: input, as: UTF8.self) { check(text) }
        guard let choice = input.first else { return }
        let label = labels[Int(choice) % labels.count]
        let body = Data(input.dropFirst()).base64EncodedString(options: .lineLength64Characters)
        check("-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n")
    }

    private static func check(_ pem: String) {
        if let key = try? RSAPublicKey(pem: pem) { check(key) }
        if let key = try? ECPublicKey(pem: pem) { check(key) }
        if let key = try? RSAPrivateKey(pem: pem) {
            check(key.publicKey)
            let again = (try? key.pem()).flatMap { try? RSAPrivateKey(pem: $0) }
            demand(again?.publicKey.modulus == key.publicKey.modulus, "a key that was written can be read")
        }
        if let key = try? P256PrivateKey(pem: pem) {
            check(key.publicKey)
            let again = (try? key.pem()).flatMap { try? P256PrivateKey(pem: $0) }
            demand(again?.publicKey.x == key.publicKey.x, "a key that was written can be read")
        }
    }

    private static func check(_ key: RSAPublicKey) {
        demand((2048...4096).contains(key.bitCount), "a key is neither short nor long")
        demand(key.modulus.last.map { $0 & 1 } == 1, "a modulus is odd")
        demand(!key.isValid(signature: [], for: []), "no octets are not a signature")
    }

    private static func check(_ key: ECPublicKey) {
        demand(key.x.count == 32 && key.y.count == 32, "a coordinate has 32 octets")
        demand((try? ECPublicKey(x: key.x, y: key.y)) != nil, "a point can be written and read")
        demand(!key.isValid(signature: [UInt8](repeating: 0, count: 64), for: []), "zeros are not a signature")
    }
}
