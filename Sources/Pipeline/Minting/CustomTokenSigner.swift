package import CoreMetrics
@_spi(CustomTokenSigning) package import Firebase
package import JOSE
internal import Jansson
package import OpenSSL
internal import Standards
package import Transport

/// Signs custom tokens with the service account's key, or has Google or another process sign them.
///
/// Other targets construct a signer and give it to a ``Minter``; they cannot sign with it. Only this target signs, and files
/// that import it with `@_spi(OperatorMinting)`, by ``token(uid:developerClaims:tenantID:issuedAt:lifetime:)``.
package struct CustomTokenSigner: Sendable {
    private let mode: Mode
    private let times: Timer

    private enum Mode: Sendable {
        case key(RSASigner, SignerIdentity, Headers)
        case iam(RemoteSigner)
        case process(ProcessSigner)
        case unsignedForEmulator
    }

    /// Signs with RS256 on the threads of its callers.
    ///
    /// - Parameters:
    ///   - serviceAccount: Its key signs, and its e-mail address is the issuer.
    ///   - threadCount: The number of threads that sign at the same time; each uses a copy of the key.
    ///   - metrics: Receives the times of signatures.
    /// - Throws: ``OpenSSLError`` if the key cannot be copied.
    package init(
        serviceAccount: ServiceAccount, threadCount: Int, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(OpenSSLError) {
        times = Self.times(metrics)
        let signer = try RSASigner(key: serviceAccount.privateKey, count: threadCount)
        mode = .key(
            signer, SignerIdentity(issuer: serviceAccount.clientEmail, key: serviceAccount.privateKey.publicKey),
            Headers(Algorithm.rs256.rawValue, keyID: serviceAccount.privateKeyID))
    }

    /// Has Google sign, with the machine's own identity or another one that it may sign for.
    ///
    /// The tokens name no key, since Google names it only in the response.
    ///
    /// - Parameters:
    ///   - origin: The IAM Service Account Credentials API, without a path.
    ///   - caller: The identity of the access tokens, in words, for messages to the operator.
    ///   - accessTokens: They need the scope `cloud-platform` and the permission `iam.serviceAccounts.signBlob`.
    ///   - callLimit: How many signatures may be in progress before ``MintingError/overloaded``.
    ///   - metrics: Receives the times of signatures.
    package static func iam(
        origin: String, email: ServiceAccountEmail, caller: String, accessTokens: AccessTokenSource,
        transport: HTTPTransport, time: TimeSource, callLimit: Int, retries: RetryPolicy,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) -> Self {
        let signer = RemoteSigner(
            origin: origin, email: email, caller: caller, accessTokens: accessTokens, transport: transport, time: time,
            retries: retries, limit: CallLimit(callLimit))
        return Self(mode: .iam(signer), times: Self.times(metrics))
    }

    /// Has another process of this machine sign, so that this one has no key in its memory.
    ///
    /// - Parameters:
    ///   - projectID: The project of this deployment. The other process refuses to sign for another one than its own.
    ///   - calls: The questions to the other process.
    ///   - metrics: Receives the times of signatures.
    package static func process(
        projectID: String, calls: FrameCalls, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) -> Self {
        Self(mode: .process(ProcessSigner(projectID: projectID, calls: calls)), times: Self.times(metrics))
    }

    /// Makes unsigned tokens (`alg` is `none`), which the Firebase emulator accepts and production refuses.
    ///
    /// The configuration refuses this mode beside a service account, and off loopback.
    package static func unsignedForEmulator() -> Self {
        Self(mode: .unsignedForEmulator, times: Self.times(NOOPMetricsHandler.instance))
    }

    private init(mode: Mode, times: Timer) {
        self.mode = mode
        self.times = times
    }

    private static func times(_ metrics: any MetricsFactory) -> Timer {
        Timer(label: "token_exchange_signature_seconds", factory: metrics)
    }

    /// Whether a signature that is requested now would be refused as ``MintingError/overloaded``.
    ///
    /// Callers ask before work that would be lost then. Only another process of this machine has a queue that can be full.
    package var isOverloaded: Bool {
        if case .process(let signer) = mode { signer.calls.isFull() } else { false }
    }

    /// The service account and the public key with which this process signs; `nil` if it does not sign.
    package var identity: SignerIdentity? {
        if case .key(_, let identity, _) = mode { identity } else { nil }
    }

    /// The assertion with which Google issues an access token (RFC 7523), made by the process that has the key.
    ///
    /// - Returns: The assertion; `nil` if no other process signs.
    package func accessTokenAssertion() async throws(MintingError) -> String? {
        guard case .process(let signer) = mode else { return nil }
        return try await signer.token(.accessTokenAssertion)
    }

    /// Signs what a server has asked for: for the target `SigningProcess`, which has checked it.
    ///
    /// - Parameter question: A custom token or the question to a hook.
    /// - Returns: The token in compact form; `nil` for another question.
    @_spi(SigningProcess)
    public func token(
        answering question: SigningRequest.Kind, issuedAt: NumericDate
    ) async throws(MintingError) -> String? {
        switch question {
        case .customToken(let uid, let claims, let tenantID, let lifetime):
            try await sign(
                CustomTokenClaims(
                    uid: uid, developerClaims: try DeveloperClaims(claims), tenantID: tenantID, issuedAt: issuedAt,
                    lifetime: .seconds(lifetime)))
        case .hookEvent(let audience, let id, let event):
            try await sign(
                .hookEvent(HookQuestion(audience: audience, id: id, event: event, issuedAt: issuedAt)))
        case .accessTokenAssertion, .check: nil
        }
    }

    /// Checks that the signer works.
    ///
    /// - Parameter now: The time. The token that is signed expired two hours ago and is discarded.
    package func check(at now: NumericDate) async throws(MintingError) {
        if case .process(let signer) = mode { return try await signer.check() }
        _ = try await sign(
            CustomTokenClaims(
                uid: "readiness", developerClaims: .none, tenantID: nil, issuedAt: now - .seconds(7200),
                lifetime: .seconds(1)))
    }

    /// Signs a custom token for any uid, without a verified person, for the operator's commands.
    ///
    /// A file sees this method only if it imports this module with `@_spi(OperatorMinting)`; `SigningTests` knows each
    /// file of `Sources` that does. All other callers mint for an `Account`. The method gives its caller no new power:
    /// the operator who runs a command already holds the service account's key.
    ///
    /// - Parameters:
    ///   - uid: 1 to 128 UTF-16 code units.
    ///   - tenantID: The Identity Platform tenant of the user; `nil` for none.
    ///   - lifetime: A longer one than an hour is shortened to an hour.
    /// - Returns: The token in compact form.
    @_spi(OperatorMinting)
    public func token(
        uid: String, developerClaims: DeveloperClaims, tenantID: String?, issuedAt: NumericDate, lifetime: Duration
    ) async throws(MintingError) -> String {
        guard UID(uid) != nil else { throw .uidLength }
        return try await sign(
            CustomTokenClaims(
                uid: uid, developerClaims: developerClaims, tenantID: tenantID, issuedAt: issuedAt,
                lifetime: lifetime))
    }

    func sign(_ claims: CustomTokenClaims) async throws(MintingError) -> String {
        try await sign(.customToken(claims))
    }

    func sign(_ statement: SignedStatement) async throws(MintingError) -> String {
        let began = ContinuousClock.now
        defer { times.recordNanoseconds(Int64((ContinuousClock.now - began) / .nanoseconds(1))) }
        let kind = Kind(statement)
        switch mode {
        case .key(let signer, let identity, let headers):
            let input = JWSSigningInput(header: headers[kind], payload: statement.payload(issuer: identity.issuer))
            return input.compact(
                signature: try wrappingNow(MintingError.key, try signer.signature(for: Array(input.text.utf8))))
        case .iam(let signer):
            let account = try await signer.account()
            let input = JWSSigningInput(header: Self.iamHeaders[kind], payload: statement.payload(issuer: account))
            return input.compact(
                signature: try await signer.signature(for: input.text, by: account))
        case .process(let signer): return try await signer.token(statement.question)
        case .unsignedForEmulator:
            let payload = statement.payload(issuer: "firebase-auth-emulator@example.com")
            return JWSSigningInput(header: Self.emulatorHeaders[kind], payload: payload).compact(signature: [])
        }
    }

    private static let iamHeaders = Headers(Algorithm.rs256.rawValue)
    private static let emulatorHeaders = Headers("none")

    /// The kinds of JWT that one key signs.
    ///
    /// Different values of `typ`, and audiences that are never equal, keep one from being accepted as the other (RFC 8725
    /// §3.11).
    enum Kind: String {
        case customToken = "JWT"
        case hookEvent = "token-exchange-hook+jwt"

        init(_ statement: SignedStatement) {
            self =
                switch statement {
                case .customToken: .customToken
                case .hookEvent: .hookEvent
                }
        }
    }

    private struct Headers: Sendable {
        let customToken: EncodedHeader
        let hookEvent: EncodedHeader

        init(_ algorithm: String, keyID: String? = nil) {
            func header(_ kind: Kind) -> EncodedHeader {
                var members: [String: JSON] = ["alg": .string(algorithm), "typ": .string(kind.rawValue)]
                members["kid"] = keyID.map(JSON.string)
                return EncodedHeader(.object(members))
            }
            customToken = header(.customToken)
            hookEvent = header(.hookEvent)
        }

        subscript(kind: Kind) -> EncodedHeader {
            switch kind {
            case .customToken: customToken
            case .hookEvent: hookEvent
            }
        }
    }
}

/// A statement that a signer makes a JWT of.
enum SignedStatement: Sendable {
    case customToken(CustomTokenClaims)
    case hookEvent(HookQuestion)

    /// The payload, which contains the service account as its issuer.
    func payload(issuer: String) -> JSON {
        switch self {
        case .customToken(let claims): claims.payload(issuer: issuer)
        case .hookEvent(let question): question.payload(issuer: issuer)
        }
    }

    /// The same for the process that holds the key, which has its own issuer and clock.
    var question: SigningRequest.Kind {
        switch self {
        case .customToken(let claims):
            .customToken(
                uid: claims.uid, claims: claims.developerClaims.members, tenantID: claims.tenantID,
                lifetime: claims.expiresIn)
        case .hookEvent(let question):
            .hookEvent(audience: question.audience, id: question.id, event: question.event)
        }
    }
}
