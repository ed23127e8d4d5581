internal import Documents
internal import JOSE
internal import Providers
internal import Transport

/// Errors about what a provider answers, and about the ID tokens that it issues.
extension ErrorTable {
    static func response(to failure: ProviderFailure, givenBack: Bool) -> ErrorResponse {
        let retry: ErrorResponse.Retry = givenBack ? .same : .restart
        switch failure {
        case .noAnswer(.timedOut):
            return .provider(504, .providerTimeout, "The provider did not answer in time.", retry)
        case .noAnswer(.overloaded):
            return .unavailable(.overloaded, "Too many calls wait for the provider.", retry)
        case .noAnswer(.tooLarge), .noAnswer(.notHTTP):
            return .provider(502, .providerResponseInvalid, "The provider's answer cannot be used.", retry)
        case .noAnswer(.cancelled):
            return .unavailable(.draining, "The server is shutting down.", retry)
        case .noAnswer(.unreachable), .noAnswer(.untrusted), .noAnswer(.interrupted), .noAnswer(.refusedURL):
            return .provider(502, .providerUnreachable, "The provider cannot be reached.", retry)
        case .throttled(let seconds), .unavailable(let seconds):
            return .provider(
                502, .providerError, "The provider asks to come back later.", retry, retryAfter: seconds ?? 5)
        case .failed:
            return .provider(502, .providerError, "The provider answered with an error that is not yours.", retry)
        case .refusedClient:
            return ErrorResponse(
                502, "temporarily_unavailable", .providerRefusesUs,
                "The provider refuses this server's registration. The operator has to act; the server's log says how.")
        case .accountDisabled:
            return ErrorResponse(
                403, "access_denied", .providerAccountDisabled,
                "The provider has suspended or locked this account, or no longer has it. The person must ask there.")
        case .malformedResponse:
            return .provider(502, .providerResponseInvalid, "The provider's answer cannot be used.", retry)
        case .document(.unreachable(.timedOut)):
            return .provider(504, .providerTimeout, "The provider's keys or metadata did not arrive in time.", retry)
        case .document(.unreachable):
            return .provider(502, .providerUnreachable, "The provider's keys or metadata cannot be reached.", retry)
        case .document:
            return .provider(502, .providerError, "The provider's keys or metadata cannot be used.", retry)
        }
    }

    /// The rules of an ID token: one reason for its form, and one for each rule of its content.
    static func response(to error: JOSEError) -> ErrorResponse {
        switch error {
        case .malformedBase64URL, .malformedToken, .tooLarge, .criticalHeader, .typeNotAllowed, .malformedKeySet:
            .invalidGrant(.malformedToken, "The ID token is not one: its form or type is not allowed.")
        case .lifetimeTooLong:
            .invalidGrant(
                .lifetimeTooLong,
                "The ID token is valid for longer than the provider's max_lifetime in the configuration allows.")
        case .algorithmNotAllowed, .keyForOtherAlgorithm:
            .invalidGrant(
                .algorithmNotAllowed,
                "The ID token is signed with an algorithm that is not allowed for this provider. Send the one that it issued."
            )
        case .unknownKey:
            .invalidGrant(
                .unknownKey,
                "The ID token names a key that the provider does not publish. Sign in at the provider again.")
        case .signatureInvalid:
            .invalidGrant(
                .signatureInvalid, "The signature of the ID token is wrong. Send the token as the provider issued it.")
        case .missingClaim("iss"), .malformedClaim("iss"), .issuerMismatch:
            .invalidGrant(
                .issuerMismatch, "The ID token was issued by another issuer. Name the provider that issued it.")
        case .missingClaim("aud"), .malformedClaim("aud"), .audienceMismatch, .severalAudiences,
            .missingClaim("azp"), .malformedClaim("azp"), .authorizedPartyMismatch:
            .invalidGrant(
                .audienceMismatch,
                "The ID token was issued for another client. Send one whose aud is a client id of this deployment.")
        case .missingClaim("nonce"), .malformedClaim("nonce"), .nonceMismatch:
            .invalidGrant(
                .nonceMismatch,
                "The ID token does not hold the nonce of this sign-in. Send the nonce that belongs to it.")
        case .missingClaim("at_hash"), .malformedClaim("at_hash"), .accessTokenHashMismatch:
            .invalidGrant(
                .accessTokenHashMismatch,
                "The ID token does not hold the hash of the access token. Send the two that were issued together.")
        case .missingClaim("auth_time"), .malformedClaim("auth_time"): freshLoginUnproven
        case .missingClaim, .malformedClaim:
            .invalidGrant(
                .malformedToken,
                "The ID token lacks a required claim, or has one of the wrong form. Send the one that the provider issued."
            )
        case .expired: .invalidGrant(.expired, "The ID token has expired. Sign in at the provider again.")
        case .issuedInFuture, .notYetValid:
            .invalidGrant(.notYetValid, "The ID token is not valid yet. Send it when its time has come.")
        case .tooOld, .authenticationTooOld:
            .invalidGrant(.tooOld, "The ID token or the sign-in behind it is too old. Sign in at the provider again.")
        }
    }

    static let freshLoginUnproven = ErrorResponse.invalidGrant(
        .freshLoginUnproven,
        "The ID token does not say when the person signed in (auth_time). If the provider never does, set its "
            + "reauthentication to prompt in the configuration, and begin a flow with intent=reauthenticate.")
}
