package import JOSE
internal import Jansson
package import OpenSSL
package import Transport

/// Signs with the service account's key, or has Google do so: makes the compact form of custom tokens, and of nothing else.
package struct CustomTokenSigner: Sendable {
    private let mode: Mode

    private enum Mode: Sendable {
        case key(RSASigningPool, issuer: String, EncodedHeader)
        case iam(RemoteSigner)
        case unsignedForEmulator
    }

    /// Signs with RS256 on threads of its own.
    ///
    /// - Parameters:
    ///   - serviceAccount: whose key signs, and whose e-mail address is the issuer.
    ///   - threadCount: as many as there are cores; each holds its own copy of the key.
    ///   - queueLimit: how many signatures may wait before ``SigningFailure/overloaded``.
    ///   - patience: how long a signature may wait before ``SigningFailure/overloaded``, as far as that can be foreseen.
    /// - Throws: ``OpenSSLError`` if the key cannot be copied.
    package init(
        serviceAccount: ServiceAccount, threadCount: Int, queueLimit: Int, patience: Duration = .seconds(5)
    ) throws(OpenSSLError) {
        let pool = try RSASigningPool(
            key: serviceAccount.privateKey, threadCount: threadCount, queueLimit: queueLimit, patience: patience)
        mode = .key(
            pool, issuer: serviceAccount.clientEmail,
            Self.header(Algorithm.rs256.rawValue, keyID: serviceAccount.privateKeyID))
    }

    /// Has Google sign, by the machine's own identity or another that it may sign for.
    ///
    /// The tokens name no key: which one signed is known only afterwards.
    ///
    /// - `origin`: of the IAM Service Account Credentials API, without a path.
    /// - `accessTokens`: with the scope `cloud-platform` and the permission `iam.serviceAccounts.signBlob`.
    /// - `callLimit`: how many signatures may be under way before ``SigningFailure/overloaded``.
    package static func iam(
        origin: String, email: ServiceAccountEmail, accessTokens: AccessTokenSource, transport: HTTPTransport,
        time: TimeSource, callLimit: Int, retries: RetryPolicy = .forSigning
    ) -> Self {
        let signer = RemoteSigner(
            origin: origin, email: email, accessTokens: accessTokens, transport: transport, time: time,
            retries: retries, limit: CallLimit(callLimit))
        return Self(mode: .iam(signer))
    }

    /// Tokens that the Firebase emulator takes and that production refuses: `alg` none and no signature.
    ///
    /// The configuration refuses this beside a service account and off loopback.
    package static func unsignedForEmulator() -> Self {
        Self(mode: .unsignedForEmulator)
    }

    private init(mode: Mode) {
        self.mode = mode
    }

    /// Whether a call made now would be refused as ``SigningFailure/overloaded``; to be asked before work that is wasted
    /// then.
    ///
    /// Google, or an emulator, is not asked: false.
    package var isOverloaded: Bool {
        if case .key(let pool, _, _) = mode { pool.isFull } else { false }
    }

    package func sign(_ claims: CustomTokenClaims) async throws(SigningFailure) -> String {
        switch mode {
        case .key(let pool, let issuer, let header):
            let unsigned = UnsignedJWS(header: header, payload: claims.payload(issuer: issuer))
            do {
                return unsigned.compact(signature: try await pool.signature(for: Array(unsigned.signingInput.utf8)))
            } catch .overloaded {
                throw .overloaded
            } catch {
                throw .failed
            }
        case .iam(let signer):
            let account = try await signer.account()
            let unsigned = UnsignedJWS(header: Self.iamHeader, payload: claims.payload(issuer: account))
            return unsigned.compact(
                signature: try await signer.signature(for: unsigned.signingInput, by: account))
        case .unsignedForEmulator:
            let payload = claims.payload(issuer: "firebase-auth-emulator@example.com")
            return UnsignedJWS(header: Self.emulatorHeader, payload: payload).compact(signature: [])
        }
    }

    private static let iamHeader = header(Algorithm.rs256.rawValue)
    private static let emulatorHeader = header("none")

    private static func header(_ algorithm: String, keyID: String? = nil) -> EncodedHeader {
        var members: [String: JSON] = ["alg": .string(algorithm), "typ": .string("JWT")]
        members["kid"] = keyID.map(JSON.string)
        return EncodedHeader(.object(members))
    }
}

extension RetryPolicy {
    /// Somebody waits for the signature.
    package static var forSigning: Self {
        var policy = Self()
        policy.pauses = [.milliseconds(100), .milliseconds(400)]
        policy.deadline = .seconds(5)
        return policy
    }
}
