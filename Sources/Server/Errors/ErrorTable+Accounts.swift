internal import Accounts
internal import Firebase
internal import Flows
internal import Stores

/// Errors of accounts, and of the Firebase and App Check tokens of a request.
extension ErrorTable {
    static func response(to conflict: AccountConflict) -> ErrorResponse {
        var response =
            switch conflict.kind {
            case .credentialAlreadyInUse:
                ErrorResponse.invalidRequest(
                    409, .credentialAlreadyInUse,
                    "The identity belongs to another account. Sign in to that account with the pending_credential at "
                        + "/v1/exchange, or merge that account into this one at /v1/account/merge.")
            case .accountExists:
                ErrorResponse.invalidRequest(
                    409, .accountExists,
                    "An account with this email address exists. Sign in with one of its providers, then send the "
                        + "pending_credential to /v1/account/link.")
            }
        response.conflict = conflict
        return response
    }

    static func response(to error: BearerError) -> ErrorResponse {
        switch error {
        case .missing:
            .bearer(
                .idTokenMissing,
                "The bearer token is missing. Send Authorization: Bearer with the Firebase ID token of the user.")
        case .idToken(let error): response(to: error)
        case .revoked: .bearer(.idTokenRevoked, "The session of this ID token was revoked. Sign in again.")
        case .gone: accountGone
        case .disabled: .userDisabled
        case .secondFactorEnrolled: .secondFactorRequired
        case .requiresRecentLogin:
            .bearer(
                .requiresRecentLogin, "The last sign-in is too old. Reauthenticate, then send the new ID token.")
        case .directory(let error): response(to: error)
        }
    }

    private static let accountGone = ErrorResponse.bearer(
        .accountGone,
        "The account of this ID token was deleted or merged into another account. Discard the token and sign in again.")

    static func response(to failure: AppCheckRefusal) -> ErrorResponse {
        switch failure {
        case .missing:
            ErrorResponse(
                403, "access_denied", .appCheckRequired,
                "The App Check token is missing. Send it in the header field X-Firebase-AppCheck.")
        case .invalid(.keys):
            .unavailable(.directoryUnavailable, "The public keys of App Check cannot be fetched.", .same)
        case .invalid:
            ErrorResponse(
                403, "access_denied", .appCheckInvalid,
                "The App Check token is not valid for this project and its configured apps. Get a new token in the app."
            )
        }
    }

    static func response(to error: AccountError) -> ErrorResponse {
        switch error {
        case .store(let error): unspentResponse(to: error)
        case .random: .internalError
        case .disabled: .userDisabled
        case .secondFactorEnrolled: .secondFactorRequired
        case .retired: accountGone
        case .profileMissing:
            .provider(
                502, .providerError,
                "The provider did not return the profile that a new account needs. Sign in again.", .restart)
        // The flow has already turned these into a conflict with a pending credential.
        case .emailTaken, .identityTaken: .internalError
        case .providerAlreadyLinked:
            .invalidRequest(
                409, .providerAlreadyLinked,
                "The account already has an identity of this provider. Unlink that one first.")
        case .notLinked:
            .invalidRequest(
                409, .noSuchProvider,
                "The account has no identity of this provider. See GET /v1/account for its identities.")
        case .lastIdentity:
            .invalidRequest(
                409, .lastIdentity,
                "This is the last identity of the account: without it, the user could not sign in. Link another "
                    + "identity first, "
                    + "or delete the account.")
        case .otherWayIn:
            .invalidRequest(
                409, .mergeNotPossible,
                "The other account has a sign-in method that cannot be moved, such as a password. Keep that "
                    + "account, and "
                    + "merge this one into it.")
        case .otherHasFactor: otherHasFactor
        case .factorNotProven: factorNotProven
        case .userMismatch, .identityLost:
            ErrorResponse(
                403, "access_denied", .userMismatch,
                "The credential, or its flow, belongs to another account than the bearer token. Use one of this "
                    + "account."
            )
        }
    }

    /// Errors of the Firebase ID token of a request: `id_token_expired` or `id_token_invalid`.
    static func response(to error: FirebaseTokenError) -> ErrorResponse {
        switch error {
        case .expired: .bearer(.idTokenExpired, "The Firebase ID token has expired. Get a new one.")
        case .customToken, .legacyCustomToken:
            .bearer(
                .idTokenInvalid,
                "This is a custom token. Sign in to Firebase with it, then send the Firebase ID token.")
        case .sessionCookie:
            .bearer(.idTokenInvalid, "This is a session cookie. Send the Firebase ID token of the user.")
        case .tenantMismatch:
            .bearer(
                .idTokenInvalid,
                "The user belongs to another tenant than this client. Send the token of a user of the same tenant.")
        // An ID token has no application; only App Check does.
        case .malformed, .signature, .noKeyID, .claims, .appNotAllowed:
            .bearer(
                .idTokenInvalid,
                "This is not a Firebase ID token of this project. Send the result of getIdToken of the Firebase SDK.")
        case .keys:
            .unavailable(.directoryUnavailable, "The public keys of Firebase ID tokens cannot be fetched.", .same)
        }
    }

    /// Errors of Identity Toolkit when it exchanges a custom token for a Firebase ID token.
    static func response(to error: IdentityToolkitError) -> ErrorResponse {
        switch error {
        case .userDisabled: .userDisabled
        case .unreachable, .unavailable, .busy, .outcomeUnknown, .accessToken:
            .unavailable(
                .directoryUnavailable,
                "Firebase does not exchange the custom token now. Retry after the time in Retry-After.", .same)
        case .malformedAnswer, .unauthenticated, .permissionDenied, .notConfigured, .rejected, .userNotFound,
            .emailExists, .duplicateLocalID, .federatedIDTaken, .invalidCustomToken, .credentialMismatch,
            .tenantMismatch:
            .internalError
        }
    }
}
