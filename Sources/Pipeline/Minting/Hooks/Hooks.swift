package import JOSE
internal import Jansson
package import Standards
package import Transport

/// An endpoint of the operator that is asked before a step.
package struct Hook: Sendable, Equatable {
    /// The audience of the JWT and the target of the request, exactly as configured.
    package let url: String
    /// The time from the start of the request to the last byte of the response.
    package let timeout: Duration
    /// Whether the call continues if the hook gives no usable answer.
    package let allowsOnFailure: Bool

    package init(url: String, timeout: Duration, allowsOnFailure: Bool) {
        self.url = url
        self.timeout = timeout
        self.allowsOnFailure = allowsOnFailure
    }
}

/// Asks the code of the operator before an account or a custom token is made.
///
/// Google's blocking functions do not run for custom tokens, so that a project that relies on them needs this gate. A
/// question is one POST of a JWT, which is sent once and never redirected.
///
/// ```json
/// {"iss": "minter@project.iam.gserviceaccount.com", "sub": "minter@project.iam.gserviceaccount.com",
///  "aud": "https://hooks.example.com/sign-in", "iat": 1700000000, "exp": 1700000060, "jti": "…",
///  "event": {"type": "before_sign_in", "uid": "yahoo.com:UQ…", "client_id": "my-app", "is_new_user": false, …}}
/// ```
package struct Hooks: Sendable {
    /// How many calls may be in progress at one origin; further ones wait within their timeout.
    private static let maximumCalls = 256

    private let hooks: [HookPoint: Hook]
    private let signer: CustomTokenSigner
    private let transport: HTTPTransport
    private let time: TimeSource
    private let random: RandomSource
    private let onFailure: @Sendable (HookPoint, HookFailure) -> Void

    /// - Parameters:
    ///   - hooks: The configured hooks. A point without one allows every call.
    ///   - signer: The signer of custom tokens, which also signs the questions.
    ///   - random: Makes the `jti` of each JWT.
    ///   - onFailure: Receives each failure after which a call continued, because the hook says `on_failure: allow`.
    package init(
        _ hooks: [HookPoint: Hook], signer: CustomTokenSigner, transport: HTTPTransport, time: TimeSource,
        random: RandomSource, onFailure: @escaping @Sendable (HookPoint, HookFailure) -> Void
    ) {
        self.hooks = hooks
        self.signer = signer
        self.transport = transport
        self.time = time
        self.random = random
        self.onFailure = onFailure
    }

    /// Whether a hook is configured for the point.
    package func asks(_ point: HookPoint) -> Bool { hooks[point] != nil }

    /// Asks the hook of a point, if there is one.
    ///
    /// - Parameters:
    ///   - earlier: The claims of earlier hooks of the same call.
    ///   - check: Checks that the custom token can contain the claims. A refusal counts as a failure of the hook.
    /// - Returns: The claims of all hooks so far.
    /// - Throws: A `Refusal` for ``Reason/blockedByHook``, the refusal of a ``HookFailure``, or `MintingError`.
    package func ask(
        _ event: HookEvent, adding earlier: HookClaims = .none,
        check: (HookClaims) throws(MintingError) -> Void = { _ in }
    ) async throws -> HookClaims {
        guard let hook = hooks[event.point] else { return earlier }
        let jwt = try await signed(event, for: hook)
        let answer: HookAnswer
        do throws(HookFailure) {
            answer = try await self.answer(of: hook, to: jwt)
            if case .allowed(let claims) = answer {
                let all = earlier.adding(claims)
                do {
                    try check(all)
                } catch {
                    throw .claims(error)
                }
                return all
            }
        } catch {
            // A caller who hangs up, or crowds out the question, must not get past the hook.
            guard hook.allowsOnFailure, !error.isOfThisServer else {
                throw FailedHook(point: event.point, failure: error)
            }
            onFailure(event.point, error)
            return earlier
        }
        throw Refusal.blockedByHook(message: answer.message, by: event.point)
    }

    private func signed(_ event: HookEvent, for hook: Hook) async throws -> String {
        let now = time.now()
        let id = try random.unguessableText()
        let content = event.json(from: RequestOrigin.current)
        return try await signer.sign(
            .hookEvent(HookQuestion(audience: hook.url, id: id, event: content, issuedAt: now)))
    }

    private func answer(of hook: Hook, to jwt: String) async throws(HookFailure) -> HookAnswer {
        let request = OutboundRequest(
            .post, hook.url, header: [HeaderField("Content-Type", "application/jwt")], body: Array(jwt.utf8),
            timeout: hook.timeout, maximumBodyBytes: HookAnswer.maximumBytes)
        let response: OutboundResponse
        do {
            response = try await transport.send(
                request.queued(in: CallQueue("hooks", "event", limit: Self.maximumCalls)))
        } catch {
            throw .unreachable(error)
        }
        return try HookAnswer(response)
    }
}

extension Refusal {
    /// The hook decided about this credential, which stays spent.
    ///
    /// - Parameters:
    ///   - message: A text for the person, at most 300 Unicode scalars without control characters; `nil` if the hook sent none.
    ///   - point: The hook; `nil` if it was asked in an earlier request, whose log line names it.
    package static func blockedByHook(message: String?, by point: HookPoint? = nil) -> Refusal {
        Refusal(
            .blockedByHook,
            "The hook of the operator refused the call. Show the text of the member message, if there is one, to the "
                + "user.",
            finding: point.map { "hooks.\($0.rawValue) refused the call" }, .message(message))
    }
}

/// What is wrong with the body of a hook's answer.
package enum HookAnswerDamage: String, Sendable {
    case noObject = "is not one JSON object, or has a member twice or a number out of range"
    case otherMember = "has another member than claims and deny"
    case claims = "has claims that are no object"
    case deny = "has a deny that is no object"
}

/// Why the answer of a hook cannot be used.
package enum HookFailure: Error, Equatable, Sendable {
    case unreachable(TransportError)
    /// The status is not 200. A redirect is not followed.
    case status(Int)
    case malformed(HookAnswerDamage)
    /// The hook sets a claim that only this server may set.
    case protectedClaim(String)
    /// Firebase would not accept the claims.
    case claims(MintingError)

    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .unreachable(let error): error.sentence
        case .status(let status): "the status of the answer is \(status), and must be 200"
        case .malformed(let damage): "the answer \(damage.rawValue)"
        case .protectedClaim(let name): "the answer has the claim \(name), which only this server may set"
        case .claims(let error): "the claims of the answer cannot be used: \(error.sentence)"
        }
    }

    /// Whether this server gave up the question, because the call was cancelled, or the queue of questions is full.
    var isOfThisServer: Bool {
        switch self {
        case .unreachable(.overloaded), .unreachable(.cancelled): true
        default: false
        }
    }
}

extension HookFailure: RefusalCause {
    /// Nothing was issued without the hook's consent.
    package var refusal: Refusal {
        Refusal(
            .hookUnavailable,
            "The hook of the operator gives no usable answer. Do what retry says, or begin again after a redirect.",
            finding: sentence, isUnspent: true, cause: self)
    }
}

/// A failure with the hook that it concerns, because a configuration can have several.
private struct FailedHook: RefusalCause, AdvisingCause {
    let point: HookPoint
    let failure: HookFailure

    var refusal: Refusal {
        let refusal = failure.refusal
        return Refusal(refusal.reason, refusal.description, finding: refusal.finding, isUnspent: true, cause: self)
    }

    var advice: String? {
        let remedy: String? =
            switch failure {
            case .unreachable(.cancelled): nil
            case .unreachable(.timedOut(_, requestSent: true, _)):
                "If it needs longer, raise its timeout, to 10s at most."
            case .unreachable(let error):
                error.advice(mayBeProvider: false) ?? "Look at the hook, and at what is between it and this machine."
            case .status:
                "Compare its url with the address at which the hook listens, because a redirect is not followed, and look for "
                    + "the cause in its log."
            case .malformed: #"It has to answer {}, {"claims": {...}} or {"deny": {"message": "..."}}."#
            case .protectedClaim: "Let it leave this claim out."
            case .claims: "Let it leave these claims out, or shorten them."
            }
        return remedy.map { "The hook is hooks.\(point.rawValue). \($0)" }
    }
}

/// The content of the JWT with which a hook is asked.
struct HookQuestion: Sendable {
    /// The JWT is sent at once, and a hook that got it late must not decide about it.
    private static let lifetime = Duration.seconds(60)

    /// The URL of the hook.
    let audience: String
    /// The `jti`.
    let id: String
    let event: JSON
    let issuedAt: NumericDate

    func payload(issuer: String) -> JSON {
        .object([
            "iss": .string(issuer), "sub": .string(issuer), "aud": .string(audience),
            "iat": .integer(issuedAt.seconds), "exp": .integer((issuedAt + Self.lifetime).seconds),
            "jti": .string(id), "event": event,
        ])
    }
}
