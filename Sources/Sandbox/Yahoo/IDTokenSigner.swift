import JOSE
import OpenSSL

/// Puts header, payload and signature together (RFC 7515 §3.1), rightly or wrongly.
struct IDTokenSigner {
    let key: P256PrivateKey
    let foreignKey: P256PrivateKey

    func token(header: [UInt8], payload: [UInt8], _ kind: IDTokenDefect.Signature) throws(OpenSSLError) -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let message = Array(input.utf8)
        let signature =
            switch kind {
            case .own: try key.signature(for: message)
            case .foreign: try foreignKey.signature(for: message)
            case .hs256:
                HMACSHA256.authenticationCode(
                    for: message, key: Array(PublicKeyPEM.text(x: key.publicKey.x, y: key.publicKey.y).utf8))
            case .none: [UInt8]()
            case .malleated: MalleatedSignature.other(than: try key.signature(for: message))
            }
        return input + "." + Base64URL.encode(signature)
    }
}
