internal import JOSE
internal import Jansson
package import OpenSSL

/// The one holder of the key: makes the compact form of custom tokens, and of nothing else.
package struct CustomTokenSigner: Sendable {
    private let issuer: String
    private let mode: Mode

    private enum Mode: Sendable {
        case key(RSASigningPool, header: JSON)
        case unsignedForEmulator
    }

    /// Signs with RS256 on threads of its own.
    ///
    /// - `threadCount`: as many as there are cores; each holds its own copy of the key.
    /// - `queueLimit`: how many signatures may wait before ``SigningFailure/overloaded``.
    package init(serviceAccount: ServiceAccount, threadCount: Int, queueLimit: Int) throws(OpenSSLError) {
        issuer = serviceAccount.clientEmail
        var header: [String: JSON] = ["alg": .string(Algorithm.rs256.rawValue), "typ": .string("JWT")]
        if let id = serviceAccount.privateKeyID {
            header["kid"] = .string(id)
        }
        let pool = try RSASigningPool(
            key: serviceAccount.privateKey, threadCount: threadCount, queueLimit: queueLimit)
        mode = .key(pool, header: .object(header))
    }

    /// Tokens that the Firebase emulator takes and that production refuses: `alg` none and no signature.
    ///
    /// The configuration refuses this beside a service account and off loopback.
    package static func unsignedForEmulator() -> Self {
        Self(issuer: "firebase-auth-emulator@example.com", mode: .unsignedForEmulator)
    }

    private init(issuer: String, mode: Mode) {
        self.issuer = issuer
        self.mode = mode
    }

    package func sign(_ claims: CustomTokenClaims) async throws(SigningFailure) -> String {
        let payload = claims.payload(issuer: issuer)
        switch mode {
        case .key(let pool, let header):
            let unsigned = UnsignedJWS(header: header, payload: payload)
            do {
                return unsigned.compact(signature: try await pool.signature(for: Array(unsigned.signingInput.utf8)))
            } catch .overloaded {
                throw .overloaded
            } catch {
                throw .failed
            }
        case .unsignedForEmulator:
            let header = JSON.object(["alg": .string("none"), "typ": .string("JWT")])
            return UnsignedJWS(header: header, payload: payload).compact(signature: [])
        }
    }
}

/// Why there is no signature.
package enum SigningFailure: Error, Equatable, Sendable {
    case overloaded
    case failed
}
