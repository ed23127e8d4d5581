import JOSE
import OpenSSL

/// What a code's verifier has to fit (RFC 7636 §4.6).
struct XCodeChallenge: Sendable {
    enum Method: String, CaseIterable, Sendable {
        case s256 = "S256"
        case plain
    }

    let value: String
    let method: Method

    func fits(_ verifier: String) -> Bool {
        let derived =
            switch method {
            case .s256: Base64URL.encode(SHA256.hash(Array(verifier.utf8)))
            case .plain: verifier
            }
        return derived.utf8.elementsEqual(value.utf8)
    }
}
