internal import Accounts
internal import Flows
internal import Jansson
internal import Providers
internal import SecondFactors
internal import Standards
internal import Stores
internal import Transport

/// Examples of error responses, which ``ErrorTable`` makes, so that their texts are those of the server.
extension OpenAPI {
    /// All examples by their names, for `components`.
    static let errorExamples: JSON = {
        let examples =
            samples(isForm: false).map { (name($0, false), $0) } + formFailures.map { (name($0, true), $0) }
        return .object(
            Dictionary(
                uniqueKeysWithValues: examples.map { name, refusal in
                    (name, .object(["value": refusal.json(requestID: "4bf92f3577b34da6a3ce929d0e0e4736")]))
                }))
    }()

    /// Returns a reference to one example for a status of an operation: the first whose reason the operation has.
    static func example(of operation: Operation, isForm: Bool, _ status: Int, _ reasons: [Reason]) -> JSON? {
        let found = samples(isForm: isForm).first { sample in
            // The refusal with a challenge belongs to a sign-in.
            guard sample.factorChallenge == nil || operation == .exchange else { return false }
            return reasons.contains(sample.reason) && operation.status(of: sample.reason) == status
        }
        return found.map { refusal in
            .object([refusal.reason.rawValue: reference("examples/" + name(refusal, isForm))])
        }
    }

    private static func name(_ refusal: ErrorResponse, _ isForm: Bool) -> String {
        refusal.reason.rawValue + (isForm && formFailures.contains(refusal) ? "_of_form" : "")
    }

    /// The refusals in the order of preference.
    private static func samples(isForm: Bool) -> [ErrorResponse] {
        requests + (isForm ? formFailures : jsonFailures) + failures
    }

    private static let jsonFailures = [
        ErrorTable.response(to: RequestError.missingField("client_id")),
        ErrorTable.response(to: RequestError.unsupportedMediaType),
    ]

    private static let formFailures = [
        ErrorTable.response(to: SignInError.parameterMissing("client_id")),
        ErrorTable.response(to: RequestError.formExpected),
    ]

    private static let pendingCredential = Secret("SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA")

    private static let requests: [ErrorResponse] = [
        ErrorTable.response(to: FactorChallenge(pendingCredential: pendingCredential)),
        .replayed, ErrorTable.response(to: FactorError.invalidCode),
        ErrorTable.response(to: SignInError.codeChallengeRequired),
        ErrorTable.response(to: SignInError.grantNotAllowed),
        ErrorTable.response(to: SignInError.bearer(.requiresRecentLogin)),
        ErrorTable.response(to: SignInError.bearer(.missing)), ErrorTable.response(to: SignInError.unknownClient),
        ErrorTable.response(to: RequestError.originNotAllowed),
        conflict(.credentialAlreadyInUse(by: "twitter.com:2244994945")),
        conflict(.accountExists(email: "alice@yahoo.example", providers: ["yahoo.com"])),
        ErrorTable.response(to: AccountError.lastIdentity), ErrorTable.response(to: AccountError.notLinked),
        ErrorTable.response(to: FactorError.tooMany), ErrorTable.response(to: FactorError.unknownFactor),
    ]

    private static let failures: [ErrorResponse] = [
        ErrorTable.response(to: RequestError.unknownField(known: ["client_id"])),
        ErrorTable.response(to: RequestError.malformedBody), ErrorTable.response(to: RequestError.bodyTooLarge),
        ErrorTable.response(to: RequestError.uriTooLong), ErrorTable.response(to: RequestError.headersTooLarge),
        ErrorTable.response(to: RequestError.rateLimited(retryAfter: 7)), .internalError,
        ErrorTable.response(to: ProviderFailure.failed(status: 500)),
        ErrorTable.response(to: RequestError.overloaded),
        ErrorTable.response(to: ProviderFailure.noAnswer(.timedOut(host: "provider.example", requestSent: true))),
    ]

    private static func conflict(_ kind: AccountConflict.Kind) -> ErrorResponse {
        ErrorTable.response(
            to: SignInError.conflict(AccountConflict(kind: kind, pendingCredential: pendingCredential)))
    }
}
