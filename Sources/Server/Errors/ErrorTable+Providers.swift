internal import Exchange
internal import JOSE
internal import Providers
internal import Standards
internal import Transport
internal import Verification

/// Errors of the exchange with a provider, and of the verification of the tokens that it issues.
extension ErrorTable {
    static func response(to error: ExchangeError) -> ErrorResponse {
        switch error {
        case .singleUse(let error): response(to: error)
        case .codeRejected:
            .invalidGrant(
                .codeRejected,
                "The provider rejected the code: it is wrong, expired or used, or belongs to another redirect_uri or "
                    + "code_verifier. Sign in at the provider again.")
        case .refreshTokenRejected:
            .invalidGrant(
                .tokenRejected,
                "The provider rejected the refresh token: it is wrong, expired, revoked or used, or was issued to another "
                    + "client. Sign in at the provider again.")
        case .refreshUnsupported:
            .invalidRequest(
                .unsupportedCredential,
                "This deployment uses only OAuth 1.0a with this provider, which has no refresh tokens. Use the pair of "
                    + "tokens from the sign-in, which does not expire.")
        case .provider(let failure): response(to: failure)
        case .random: .internalError
        }
    }

    static func response(to error: VerificationError) -> ErrorResponse {
        switch error {
        case .idToken(let error): response(to: error)
        case .singleUse(let error): response(to: error)
        case .audienceUnverifiable:
            .invalidGrant(
                .audienceUnverifiable,
                "The server cannot verify for which application this access token was issued. Send an "
                    + "authorization_code, an id_token, or the callback of POST /v1/signin.")
        case .audienceMismatch:
            .invalidGrant(
                .audienceMismatch,
                "The token was issued to another client of the provider. Send one that was issued to the client of "
                    + "this "
                    + "deployment.")
        case .tokenRejected:
            .invalidGrant(
                .tokenRejected,
                "The provider does not confirm that it issued the token to this deployment. Sign in at the provider "
                    + "again."
            )
        case .provider(let failure): response(to: failure)
        case .random: .internalError
        }
    }

    /// Errors of a call to the provider; `same` for each that passes.
    static func response(to failure: ProviderFailure) -> ErrorResponse {
        switch failure {
        case .noAnswer(.timedOut):
            return .provider(504, .providerTimeout, "The provider did not respond in time.", .same)
        case .noAnswer(.overloaded):
            return .unavailable(.overloaded, "Too many requests to the provider are waiting.", .same)
        case .noAnswer(.circuitOpen(_, let seconds)):
            return .provider(
                502, .providerUnreachable,
                "The provider did not respond to several requests. Retry after the time in "
                    + "Retry-After.", .same, retryAfter: Int64(seconds)
            ).spread()
        case .noAnswer(.tooLarge), .noAnswer(.notHTTP):
            return .provider(502, .providerResponseInvalid, "The response of the provider is not usable.", .same)
        case .noAnswer(.cancelled):
            return .unavailable(.draining, "The server is shutting down.", .same)
        case .noAnswer(.unreachable), .noAnswer(.untrusted), .noAnswer(.interrupted), .noAnswer(.refusedURL):
            return .provider(502, .providerUnreachable, "The provider cannot be reached.", .same)
        case .throttled(let seconds), .unavailable(let seconds):
            return .provider(
                502, .providerError, "The provider asked the server to retry later.", .same, retryAfter: seconds ?? 5)
        case .failed:
            return .provider(
                502, .providerError, "The provider failed with an error that the client did not cause.", .same)
        case .refusedClient:
            return ErrorResponse(
                502, "temporarily_unavailable", .providerRefusesUs,
                "The provider rejects the registration of this server. The operator must fix it, see the server log.")
        case .accountDisabled:
            return ErrorResponse(
                403, "access_denied", .providerAccountDisabled,
                "The provider has suspended, locked or deleted this account. Only the provider can restore it.")
        case .malformedResponse:
            return .provider(502, .providerResponseInvalid, "The response of the provider is not usable.", .same)
        case .document(.unreachable(.timedOut)):
            return .provider(
                504, .providerTimeout, "The keys or metadata of the provider did not arrive in time.", .same)
        case .document(.malformed), .document(.unreachable(.tooLarge)), .document(.unreachable(.notHTTP)):
            return .provider(
                502, .providerResponseInvalid, "The keys or metadata of the provider are not usable.", .same)
        case .document(.unreachable):
            return .provider(
                502, .providerUnreachable, "The keys or metadata of the provider cannot be fetched.", .same)
        case .document(.status):
            return .provider(
                502, .providerError, "The provider responded with an error to the request for its keys or metadata.",
                .same)
        }
    }

    /// Errors of an ID token: one reason for its format, and one for each rule about its content.
    static func response(to error: JOSEError) -> ErrorResponse {
        switch error {
        case .malformedBase64URL, .malformedToken, .tooLarge, .criticalHeader, .typeNotAllowed, .malformedKeySet:
            .invalidGrant(
                .malformedToken,
                "The ID token is malformed, or its type is not allowed. Send the token as the provider issued it.")
        case .lifetimeTooLong:
            .invalidGrant(
                .lifetimeTooLong,
                "The lifetime of the ID token is longer than max_lifetime of the provider in the configuration allows.")
        case .algorithmNotAllowed, .keyForOtherAlgorithm:
            .invalidGrant(
                .algorithmNotAllowed,
                "The ID token is signed with an algorithm that is not allowed for this provider. Send the token as the "
                    + "provider issued it.")
        case .unknownKey:
            .invalidGrant(
                .unknownKey,
                "The provider does not publish the key of this ID token. Sign in at the provider again.")
        case .signatureInvalid:
            .invalidGrant(
                .signatureInvalid,
                "The signature of the ID token is not valid. Send the token as the provider issued it.")
        case .missingClaim("iss"), .malformedClaim("iss"), .issuerMismatch:
            .invalidGrant(
                .issuerMismatch,
                "The ID token was issued by another issuer. Send the id of the provider that issued it.")
        case .missingClaim("aud"), .malformedClaim("aud"), .audienceMismatch, .severalAudiences,
            .missingClaim("azp"), .malformedClaim("azp"), .authorizedPartyMismatch:
            .invalidGrant(
                .audienceMismatch,
                "The ID token was issued for another client. Send one whose aud is a client id of this deployment.")
        case .missingClaim("nonce"), .malformedClaim("nonce"), .nonceMismatch:
            .invalidGrant(
                .nonceMismatch,
                "The nonce does not match the ID token. Send the nonce that belongs to this ID token.")
        case .missingClaim("at_hash"), .malformedClaim("at_hash"), .accessTokenHashMismatch:
            .invalidGrant(
                .accessTokenHashMismatch,
                "The access token does not match at_hash of the ID token. Send the two that were issued together.")
        case .missingClaim("auth_time"), .malformedClaim("auth_time"): freshLoginUnproven
        case .missingClaim, .malformedClaim:
            .invalidGrant(
                .malformedToken,
                "A required claim of the ID token is missing or malformed. Send the token as the provider issued it.")
        case .expired: .invalidGrant(.expired, "The ID token has expired. Sign in at the provider again.")
        case .issuedInFuture, .notYetValid:
            .invalidGrant(
                .notYetValid, "The ID token is not valid yet. Send it later, and check the clock of the server.")
        case .tooOld, .authenticationTooOld:
            .invalidGrant(.tooOld, "The ID token or its sign-in is too old. Sign in at the provider again.")
        }
    }

    static let freshLoginUnproven = ErrorResponse.invalidGrant(
        .freshLoginUnproven,
        "The ID token has no valid auth_time, so the time of the sign-in is unknown. If the provider never sends "
            + "auth_time, "
            + "set its reauthentication to prompt in the configuration, and begin a flow with intent=reauthenticate.")
}
