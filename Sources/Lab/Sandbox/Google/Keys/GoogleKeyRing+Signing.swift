import JOSE
import Jansson
import OpenSSL

extension GoogleKeyRing {
    /// A JWT of these claims, RS256 with `kid` and `typ` (RFC 7515 §3.1), less what the defect spoils.
    mutating func token(
        _ claims: [String: JSON], spoiledBy defect: IDTokenDefect? = nil, now: Int64
    ) throws(Refusal) -> String {
        let key = try current(now: now)
        let honest: [String: JSON] = ["alg": .string("RS256"), "kid": .string(key.id), "typ": .string("JWT")]
        let header = defect?.header(honest) ?? JSON.object(honest).serialized()
        let payload = defect?.payload(claims) ?? JSON.object(claims).serialized()
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let message = Array(input.utf8)
        let signer = defect?.signature == .foreign ? try foreign(now: now) : key
        do {
            let signature =
                switch defect?.signature {
                case .hs256: HMACSHA256.authenticationCode(for: message, key: Array(key.certificate.utf8))
                case IDTokenDefect.Signature.none?: [UInt8]()
                default: try signer.privateKey.signature(for: message)
                }
            return input + "." + Base64URL.encode(signature)
        } catch {
            throw GoogleError.noKey
        }
    }
}
