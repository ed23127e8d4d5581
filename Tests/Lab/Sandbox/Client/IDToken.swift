import FoundationEssentials
import Jansson
import OpenSSL

/// The parts of an ID token, not verified.
struct IDToken {
    let headerText: String
    let header: JSON
    let payloadText: String
    let claims: JSON
    let signature: [UInt8]
    let signingInput: [UInt8]

    init?(_ text: String?) {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.decode(parts[0]), let payload = Self.decode(parts[1]),
            let signature = Self.decode(parts[2])
        else { return nil }
        headerText = String(decoding: header, as: UTF8.self)
        self.header = (try? JSON.parse(header)) ?? .null
        payloadText = String(decoding: payload, as: UTF8.self)
        claims = (try? JSON.parse(payload)) ?? .null
        self.signature = signature
        signingInput = Array((parts[0] + "." + parts[1]).utf8)
    }

    /// Whether the key with the token's `kid` in a key set made the signature.
    func isSigned(under keySet: JSON?) -> Bool {
        guard let key = keySet?["keys"]?.array?.first(where: { $0["kid"] == header["kid"] }),
            let x = key["x"]?.string.flatMap(Self.decode), let y = key["y"]?.string.flatMap(Self.decode),
            let publicKey = try? ECPublicKey(x: x, y: y)
        else { return false }
        return publicKey.isValid(signature: signature, for: signingInput)
    }

    /// Whether an RSA key of the key set made the signature.
    func isRSASigned(under keySet: JSON?) -> Bool {
        guard let key = keySet?["keys"]?.array?.first(where: { $0["kid"] == header["kid"] }),
            let n = key["n"]?.string.flatMap(Self.decode), let e = key["e"]?.string.flatMap(Self.decode),
            let publicKey = try? RSAPublicKey(modulus: n, exponent: e)
        else { return false }
        return publicKey.isValid(signature: signature, for: signingInput)
    }

    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map(Array.init)
    }
}
