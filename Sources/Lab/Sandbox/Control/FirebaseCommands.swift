import Jansson

/// A command to create an ID token without a sign-in.
///
/// ```json
/// {"uid": "u1", "create": true, "tenant_id": "tenant-1", "sign_in_provider": "custom", "claims": {"idp": "yahoo.com"},
///  "issued_seconds_ago": 3601, "authenticated_seconds_ago": 7200, "project_id": "another",
///  "set": {"sub": ""}, "remove": ["firebase"], "header": {"kid": "x"}, "key": "foreign"}
/// ```
/// Only `uid` is required. If no user has it, the token contains no profile; with `create` the user is created first, as
/// by a sign-in. `project_id` changes `iss` and `aud`. The other members are those of ``IDTokenDefect``, without the keys
/// `malleated` and `rsa`, since these tokens are signed with RSA.
struct FirebaseIDTokenCommand {
    let uid: String
    let createsUser: Bool
    let tenantID: String?
    let provider: String
    let developerClaims: [String: JSON]
    let issuedSecondsAgo: Int64
    let authenticatedSecondsAgo: Int64
    let projectID: String?
    let defect: IDTokenDefect

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        uid = try input.requiredString("uid")
        tenantID = try input.string("tenant_id")
        createsUser = try input.bool("create") ?? false
        provider = try input.string("sign_in_provider") ?? "custom"
        developerClaims = try input.members("claims")
        issuedSecondsAgo = try input.secondsAgo("issued_seconds_ago") ?? 0
        authenticatedSecondsAgo = try input.secondsAgo("authenticated_seconds_ago") ?? issuedSecondsAgo
        projectID = try input.string("project_id")
        defect = try input.rsaDefect()
        try input.finish()
    }
}

/// A command to create an App Check token without an attestation.
///
/// ```json
/// {"app_id": "1:1234567890:ios:abcdef", "issued_seconds_ago": 3601, "project_id": "another", "key": "foreign"}
/// ```
/// Only `app_id` is required. The other members are those of ``FirebaseIDTokenCommand``.
struct AppCheckTokenCommand {
    let applicationID: String
    let issuedSecondsAgo: Int64
    let projectID: String?
    let defect: IDTokenDefect

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        applicationID = try input.requiredString("app_id")
        issuedSecondsAgo = try input.secondsAgo("issued_seconds_ago") ?? 0
        projectID = try input.string("project_id")
        defect = try input.rsaDefect()
        try input.finish()
    }
}

extension ControlInput {
    /// Reads an age in seconds; a negative age is in the future.
    fileprivate mutating func secondsAgo(_ name: String) throws(ControlError) -> Int64? {
        try integer(name, in: -1_000_000_000...1_000_000_000)
    }

    fileprivate mutating func rsaDefect() throws(ControlError) -> IDTokenDefect {
        let defect = try IDTokenDefect(&self)
        guard defect.signature != .malleated, defect.signature != .rsa, defect.remaining == nil else {
            throw .invalid(member: "key", expected: "own, foreign, hs256, none, and no times")
        }
        return defect
    }
}

/// A command to change a Firebase user, or to create it if it does not exist.
///
/// Absent members stay as they are.
///
/// ```json
/// {"uid": "u1", "tenant_id": "tenant-1", "disabled": true, "mfa": true, "email": "u1@example.com",
///  "email_verified": true, "display_name": "U", "valid_since": 1700000000,
///  "link": {"providerId": "yahoo.com", "rawId": "ALICE"}}
/// ```
/// `mfa` enrols a telephone number as second factor, or removes all factors. `link` is `linkProviderUserInfo` of
/// `accounts:update`, which does not check whether another user has the identity.
struct FirebaseUserCommand {
    let uid: String
    let tenantID: String?
    let isDisabled: Bool?
    let hasSecondFactor: Bool?
    let email: String?
    let isEmailVerified: Bool?
    let displayName: String?
    let validSince: Int64?
    let link: GoogleProviderLink?

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        uid = try input.requiredString("uid")
        tenantID = try input.string("tenant_id")
        isDisabled = try input.bool("disabled")
        hasSecondFactor = try input.bool("mfa")
        email = try input.string("email")?.lowercased()
        isEmailVerified = try input.bool("email_verified")
        displayName = try input.string("display_name")
        validSince = try input.int64("valid_since")
        if let identity = try input.input("link") {
            link = try GoogleProviderLink(identity)
        } else {
            link = nil
        }
        try input.finish()
    }
}
