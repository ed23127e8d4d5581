internal import Accounts
internal import Flows
internal import Jansson
internal import Providers
internal import SecondFactors
internal import Standards
internal import Stores
internal import Transport
internal import Verification

/// Examples of error responses, which ``ErrorResponse`` makes, so that their texts are those of the server.
extension OpenAPI {
    /// All examples by their names, for `components`.
    static let errorExamples: JSON = {
        let examples = (samples(of: .json) + formFailures + eventFailures).map { (name($0), $0) }
        return .object(
            Dictionary(
                uniqueKeysWithValues: examples.map { name, refusal in
                    (
                        name,
                        .object(["value": ErrorResponse(refusal).json(requestID: "4bf92f3577b34da6a3ce929d0e0e4736")])
                    )
                }))
    }()

    /// Returns a reference to one example for a status of an operation: the first whose reason the operation has.
    static func example(
        of operation: Endpoint.Operation, at endpoint: Endpoint, _ status: Int, _ reasons: [Reason]
    ) -> JSON? {
        let found = samples(of: operation.body).first { sample in
            // The refusal with a challenge belongs to a sign-in.
            guard !sample.isChallenge || endpoint.path == Endpoint.exchange.path else { return false }
            return reasons.contains(sample.reason) && endpoint.status(of: sample.reason) == status
        }
        return found.map { refusal in
            .object([refusal.reason.rawValue: reference("examples/" + name(refusal))])
        }
    }

    private static func name(_ refusal: Refusal) -> String {
        let suffix = formFailures.contains(refusal) ? "_of_form" : eventFailures.contains(refusal) ? "_of_event" : ""
        return refusal.reason.rawValue + suffix
    }

    /// The refusals in the order of preference.
    private static func samples(of body: Endpoint.Body) -> [Refusal] {
        switch body {
        case .event: eventFailures + failures
        case .form: requests + formFailures + failures
        case .none, .query, .json, .formOfProvider: requests + jsonFailures + failures
        }
    }

    private static let jsonFailures = [
        Refusal.missingField("client_id"),
        Refusal.unsupportedMediaType,
    ]

    private static let formFailures = [
        Refusal.parameterMissing("client_id"),
        Refusal.formExpected,
    ]

    private static let eventFailures = [
        Refusal.replayed(.event),
        Refusal.eventsDisabled(.logoutToken),
        EventMessages.unsupportedMediaType,
    ]

    private static let pendingCredential = Secret("SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA")

    private static let requests: [Refusal] = [
        .secondFactorRequired(pendingCredential), .replayed(.idToken), .invalidCode, .codeChallengeRequired,
        .grantNotAllowed, .loginTooOld, .bearerMissing, .unknownClient, .originNotAllowed(""),
        .credentialAlreadyInUse(
            PendingSignIn(.credentialAlreadyInUse(by: UID(constant: "twitter.com:2244994945")), pendingCredential),
            canSignIn: true),
        .accountExists(
            PendingSignIn(
                .accountExists(email: "alice@yahoo.example", providers: [ProviderID("yahoo.com")]),
                pendingCredential)),
        .lastIdentity, .notLinked, .tooManyFactors, .unknownFactor,
    ]

    private static let failures: [Refusal] = [
        .unknownField(known: ["client_id"]), .malformedBody, .bodyTooLarge, .uriTooLong, .headersTooLarge,
        .rateLimited(retryAfter: 7), .internalError(CancellationError()),
        ProviderFailure.failed(status: 500).refusal.unspent, .overloaded,
        ProviderFailure.noAnswer(.timedOut(host: "provider.example", requestSent: true)).refusal.unspent,
    ]
}

extension Refusal {
    fileprivate var isChallenge: Bool {
        if case .pending(let pending) = detail, case .secondFactor = pending.kind { true } else { false }
    }
}
