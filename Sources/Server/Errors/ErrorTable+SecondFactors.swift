internal import Flows
internal import SecondFactors

/// Errors of second factors.
extension ErrorTable {
    static func response(to challenge: FactorChallenge) -> ErrorResponse {
        var response = ErrorResponse(
            403, "access_denied", .secondFactorRequired,
            "The account has a second factor. Ask the user for a code, and send it with the pending_credential to "
                + "/v1/exchange, as a credential of the type second_factor.")
        response.factorChallenge = challenge
        return response
    }

    /// The account may have got its second factor after the call was checked.
    static let factorNotProven = ErrorResponse(
        403, "access_denied", .secondFactorRequired,
        "The account has a second factor, which this session has not proven recently. Sign in again with a code, then "
            + "send the new ID token.")

    static let otherHasFactor = ErrorResponse.invalidRequest(
        409, .mergeNotPossible,
        "The other account has a second factor. Remove it first, or keep that account and merge this one into it.")

    static func response(to error: FactorError) -> ErrorResponse {
        switch error {
        case .required: factorNotProven
        case .invalidCode:
            .invalidGrant(
                .secondFactorInvalid,
                "The code is wrong or was already used. Send the next code of the authenticator application, or "
                    + "another recovery code.")
        case .locked(nil):
            ErrorResponse(
                403, "access_denied", .secondFactorLocked,
                "There were 100 wrong codes for this account in a row. Send a recovery code, or ask the operator to end "
                    + "the lock.")
        case .locked(let seconds):
            ErrorResponse(
                403, "access_denied", .secondFactorLocked,
                "There were too many wrong codes for this account. Send a code after the time in Retry-After.",
                retryAfter: seconds)
        case .handleEnded:
            .invalidGrant(.expired, "The pending_credential has had five wrong codes. Sign in again.")
        case .unknownFactor:
            .invalidRequest(
                409, .noSuchFactor,
                "The account has no factor with this factor_id, or it was not confirmed within ten minutes. See "
                    + "GET /v1/account/factors.")
        case .tooMany:
            .invalidRequest(409, .tooManyFactors, "The account has five factors. Remove one first.")
        case .anonymous:
            ErrorResponse(
                403, "access_denied", .notForAnonymous,
                "An anonymous account cannot have a second factor. Link an identity first.")
        case .account(let error): response(to: error)
        case .store(let error): unspentResponse(to: error)
        case .sealing, .random: .internalError
        }
    }
}
