internal import Accounts
internal import Firebase
internal import Flows
internal import Stores

/// Errors about accounts and about the bearer of a request.
extension ErrorTable {
    static func response(to conflict: AccountConflict) -> ErrorResponse {
        var answer =
            switch conflict.kind {
            case .credentialAlreadyInUse:
                ErrorResponse.invalidRequest(
                    409, .credentialAlreadyInUse,
                    "The identity belongs to another account. Sign in to that with the pending_credential at "
                        + "/v1/exchange, or take it over at /v1/account/merge.")
            case .accountExists:
                ErrorResponse.invalidRequest(
                    409, .accountExists,
                    "An account with this address exists. Sign in with one of its providers, and link the "
                        + "pending_credential at /v1/account/link.")
            }
        answer.conflict = conflict
        return answer
    }

    static func response(to error: BearerError) -> ErrorResponse {
        switch error {
        case .missing:
            .bearer(.idTokenMissing, "Send Authorization: Bearer with the Firebase ID token of the user.")
        case .idToken(let error): response(to: error)
        case .revoked: .bearer(.idTokenRevoked, "The session of this ID token was ended. Sign in again.")
        case .gone: accountGone
        case .disabled: .userDisabled
        case .secondFactorEnrolled: .secondFactorRequired
        case .requiresRecentLogin:
            .bearer(
                .requiresRecentLogin, "The person signed in too long ago. Reauthenticate, and send the new ID token.")
        case .directory(let error): response(to: error)
        case .replayed: .replayed
        case .unwatched: .issuedUnwatched
        }
    }

    private static let accountGone = ErrorResponse.bearer(
        .accountGone,
        "The account of this ID token was deleted or merged into another one. Forget it, and sign in again.")

    static func response(to failure: AppCheckFailure) -> ErrorResponse {
        switch failure {
        case .missing:
            ErrorResponse(
                403, "access_denied", .appCheckRequired, "Send X-Firebase-AppCheck with an App Check token of the app.")
        case .invalid(.keys):
            .unavailable(.directoryUnavailable, "The keys of App Check's tokens cannot be fetched.", .same)
        case .invalid:
            ErrorResponse(
                403, "access_denied", .appCheckInvalid,
                "The App Check token is not valid for this project, or not of an app that is configured.")
        }
    }

    static func response(to error: AccountError, givenBack: Bool) -> ErrorResponse {
        switch error {
        case .store(let error): response(to: error, givenBack: givenBack)
        case .random: .internalError
        case .disabled: .userDisabled
        case .secondFactorEnrolled: .secondFactorRequired
        case .retired: accountGone
        case .profileMissing:
            .provider(
                502, .providerError,
                "The provider did not tell the profile of a person who has no account yet. Sign in again.", .restart)
        // `FlowSet` answers these with a pending credential before they come here.
        case .emailTaken, .identityTaken: .internalError
        case .providerAlreadyLinked:
            .invalidRequest(
                409, .providerAlreadyLinked, "The account has another identity of this provider. Unlink that first.")
        case .notLinked:
            .invalidRequest(
                409, .noSuchProvider,
                "The account has no identity of this provider. GET /v1/account lists those that it has.")
        case .lastIdentity:
            .invalidRequest(
                409, .lastIdentity,
                "This is the last identity of the account, which could not be entered without it. Link another one first, or "
                    + "delete the account.")
        case .otherWayIn:
            .invalidRequest(
                409, .mergeNotPossible,
                "The other account can be entered by something that cannot be moved, such as a password. Keep that "
                    + "account, and merge this one into it.")
        case .userMismatch:
            ErrorResponse(
                403, "access_denied", .userMismatch,
                "The credential, or the flow that it comes from, belongs to another account than the bearer. Use one of this account."
            )
        }
    }

    /// Errors of the Firebase ID token of a request: `id_token_expired` for its end, `id_token_invalid` for all else.
    static func response(to error: FirebaseIDTokenError) -> ErrorResponse {
        switch error {
        case .expired: .bearer(.idTokenExpired, "The Firebase ID token has expired. Get a fresh one.")
        case .customToken, .legacyCustomToken:
            .bearer(
                .idTokenInvalid,
                "This is a custom token. Sign in to Firebase with it, and send the ID token that Firebase gives.")
        case .sessionCookie: .bearer(.idTokenInvalid, "This is a session cookie. Send the user's Firebase ID token.")
        case .tenantMismatch:
            .bearer(
                .idTokenInvalid,
                "The user belongs to another tenant than this client. Send the token of a user of its tenant.")
        case .malformed, .signature, .noKeyID, .claims:
            .bearer(
                .idTokenInvalid,
                "This is not a Firebase ID token of this project. Send the result of getIdToken of Firebase's SDK.")
        case .keys:
            .unavailable(.directoryUnavailable, "The keys of Firebase's ID tokens cannot be fetched.", .same)
        }
    }

    /// Errors of Identity Toolkit when it exchanges a custom token for a Firebase ID token.
    static func response(to error: IdentityToolkitError, givenBack: Bool) -> ErrorResponse {
        switch error {
        case .userDisabled: .userDisabled
        case .unreachable, .unavailable, .busy, .outcomeUnknown, .accessToken:
            givenBack
                ? .unavailable(
                    .directoryUnavailable,
                    "Firebase does not trade custom tokens in for now. Send the same request again.", .same)
                : .unavailable(
                    .directoryUnavailable, "Firebase does not trade custom tokens in for now. Sign in again.", .restart)
        case .malformedAnswer, .unauthenticated, .permissionDenied, .notConfigured, .rejected, .userNotFound,
            .emailExists, .duplicateLocalID, .federatedIDTaken, .invalidCustomToken, .credentialMismatch,
            .tenantMismatch:
            .internalError
        }
    }
}
