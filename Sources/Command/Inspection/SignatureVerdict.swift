internal import CommandSupport
internal import Firebase
internal import JOSE
internal import OpenSSL
internal import Settings

/// What can be said of a signature with the keys at hand.
enum SignatureVerdict: String {
    case holds
    case doesNotHold = "does not hold"
    case unknownKey = "by a key that is not among those given"
    case notChecked = "not checked: give --keys or --service-account"

    /// - Throws: Exit 1 for a file that holds no key.
    static func of(_ jws: CompactJWS, keys: String?, serviceAccount: String?) throws -> Self {
        if let path = serviceAccount {
            guard let account = try? ServiceAccount.parse(try contents(of: path)) else {
                throw Exit.because("\(path) is not a service account", Exit.failure)
            }
            return verdict(of: jws, by: account.publicKey)
        }
        guard let path = keys else { return .notChecked }
        let bytes = try contents(of: path)
        if let set = try? JWKSet.parse(bytes) {
            do {
                _ = try JWSVerifier.verifiedPayload(of: jws, keys: set, algorithms: [.rs256, .es256])
                return .holds
            } catch {
                return error == .unknownKey ? .unknownKey : .doesNotHold
            }
        }
        let pem = String(decoding: bytes, as: UTF8.self)
        if let key = try? RSAPublicKey(pem: pem) { return verdict(of: jws, by: key) }
        if let key = try? P256PublicKey(pem: pem) {
            let holds =
                jws.header.algorithm == Algorithm.es256.rawValue
                && key.isValid(signature: jws.signature, for: jws.signingInput)
            return holds ? .holds : .doesNotHold
        }
        throw Exit.because("\(path) holds neither a JWK set nor a public key in PEM", Exit.failure)
    }

    private static func verdict(of jws: CompactJWS, by key: RSAPublicKey) -> Self {
        let holds =
            jws.header.algorithm == Algorithm.rs256.rawValue
            && key.isValid(signature: jws.signature, for: jws.signingInput)
        return holds ? .holds : .doesNotHold
    }

    private static func contents(of path: String) throws -> [UInt8] {
        do throws(SettingsFileError) {
            return try SettingsFile.onDisk(path).bytes
        } catch {
            throw Exit.because("\(path) \(error.message)", Exit.failure)
        }
    }
}
