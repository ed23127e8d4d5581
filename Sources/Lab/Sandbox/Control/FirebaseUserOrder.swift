import Jansson

/// A user of Firebase to be changed, or made where there is none of that id; absent members stay as they are.
///
/// ```json
/// {"uid": "u1", "tenant_id": "tenant-1", "disabled": true, "mfa": true, "email": "u1@example.com",
///  "email_verified": true, "display_name": "U", "valid_since": 1700000000,
///  "link": {"providerId": "yahoo.com", "rawId": "ALICE"}}
/// ```
/// `mfa` enrols a telephone number as second factor, or takes all factors away. `link` is `linkProviderUserInfo` of
/// `accounts:update`, with its trap.
struct FirebaseUserOrder {
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
