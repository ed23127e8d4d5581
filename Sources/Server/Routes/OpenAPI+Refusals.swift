internal import Accounts
internal import Flows
internal import Jansson
internal import Providers
internal import SecondFactors
internal import Standards
internal import Stores
internal import Transport

/// Examples of error responses, which ``ErrorResponse`` makes, so that their texts are those of the server.
extension OpenAPI {
    /// All examples by their names, for `components`.
    static let errorExamples: JSON = {
        let examples =
            samples(isForm: false).map { (name($0, false), $0) } + formFailures.map { (name($0, true), $0) }
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
        let isForm = operation.body == .form
        let found = samples(isForm: isForm).first { sample in
            // The refusal with a challenge belongs to a sign-in.
            guard !sample.isChallenge || endpoint.path == Endpoint.exchange.path else { return false }
            return reasons.contains(sample.reason) && endpoint.status(of: sample.reason) == status
        }
        return found.map { refusal in
            .object([refusal.reason.rawValue: reference("examples/" + name(refusal, isForm))])
        }
    }

    private static func name(_ refusal: Refusal, _ isForm: Bool) -> String {
        refusal.reason.rawValue + (isForm && formFailures.contains(refusal) ? "_of_form" : "")
    }

    /// The refusals in the order of preference.
    private static func samples(isForm: Bool) -> [Refusal] {
        requests + (isForm ? formFailures : jsonFailures) + failures
    }

    private static let jsonFailures = [
        Refusal.missingField("client_id"),
        Refusal.unsupportedMediaType,
    ]

    private static let formFailures = [
        Refusal.parameterMissing("client_id"),
        Refusal.formExpected,
    ]

    private static let pendingCredential = Secret("SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA")

    private static let requests: [Refusal] = [
        Refusal(
            .secondFactorRequired,
            "The account has a second factor. Ask the user for a code, and send it with the pending_credential to "
                + "/v1/exchange, as a credential of the type second_factor.",
            .pending(PendingSignIn(.secondFactor(kinds: ["totp", "recovery_code"]), pendingCredential))),
        .replayed(.idToken),
        Refusal(
            .secondFactorInvalid,
            "The code is wrong or was already used. Send the next code of the authenticator application, or another "
                + "recovery code."),
        .codeChallengeRequired, .grantNotAllowed,
        Refusal(
            .requiresRecentLogin, "The last sign-in is too old. Reauthenticate, then send the new ID token."),
        Refusal(
            .idTokenMissing,
            "The bearer token is missing. Send Authorization: Bearer with the Firebase ID token of the user."),
        Refusal(.unknownClient, "No client with this client_id is configured. Check the client_id."),
        .originNotAllowed,
        Refusal(
            .credentialAlreadyInUse,
            "The identity belongs to another account. Sign in to that account with the pending_credential at "
                + "/v1/exchange, or merge that account into this one at /v1/account/merge.",
            .pending(
                PendingSignIn(
                    .credentialAlreadyInUse(by: UID(constant: "twitter.com:2244994945")), pendingCredential))),
        Refusal(
            .accountExists,
            "An account with this email address exists. Sign in with one of its providers, then send the "
                + "pending_credential to /v1/account/link.",
            .pending(
                PendingSignIn(
                    .accountExists(email: "alice@yahoo.example", providers: [ProviderID("yahoo.com")]),
                    pendingCredential))),
        Refusal(
            .lastIdentity,
            "This is the last identity of the account: without it, the user could not sign in. Link another identity "
                + "first, or delete the account."),
        .notLinked, Refusal(.tooManyFactors, "The account has five factors. Remove one first."),
        Refusal(
            .noSuchFactor,
            "The account has no factor with this factor_id, or it was not confirmed within ten minutes. See "
                + "GET /v1/account/factors."),
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
