import JOSE
import OpenSSL

/// Puts header, payload and signature together (RFC 7515 §3.1), rightly or wrongly.
struct IDTokenSigner {
    let keys: YahooKeySet

    func token(header: [UInt8], payload: [UInt8], _ kind: IDTokenDefect.Signature) throws(OpenSSLError) -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let message = Array(input.utf8)
        let signature =
            switch kind {
            case .own: try keys.current.signature(for: message)
            case .foreign: try keys.foreign.signature(for: message)
            case .rsa: try keys.rsa.privateKey.signature(for: message)
            case .hs256: HMACSHA256.authenticationCode(for: message, key: Array(keys.currentPEM.utf8))
            case .none: [UInt8]()
            case .malleated: MalleatedSignature.other(than: try keys.current.signature(for: message))
            }
        return input + "." + Base64URL.encode(signature)
    }
}
