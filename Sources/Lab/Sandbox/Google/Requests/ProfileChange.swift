import Jansson

/// What creating and updating a user have in common; nil stands for no change.
struct ProfileChange: Sendable {
    let displayName: String?
    let photoURL: String?
    /// In lower case.
    let email: String?
    let isEmailVerified: Bool?
    let phoneNumber: String?
    let password: String?

    init(_ input: inout ControlInput) throws(ControlError) {
        displayName = try input.string("displayName")
        photoURL = try input.string("photoUrl")
        email = try input.string("email")?.lowercased()
        isEmailVerified = try input.bool("emailVerified")
        phoneNumber = try input.string("phoneNumber")
        password = try input.string("password")
    }

    /// Sets what is to be set.
    ///
    /// A new address is not verified unless that is said too, and ends all sessions as a new password does.
    ///
    /// - Throws: INVALID_EMAIL, EMAIL_EXISTS, INVALID_PHONE_NUMBER, PHONE_NUMBER_EXISTS, WEAK_PASSWORD,
    ///   INVALID_PROFILE_ATTRIBUTE.
    func apply(to user: inout GoogleUser, of pool: GoogleUserPool, now: Int64) throws(Refusal) {
        if let email, email != user.email {
            guard Self.isEmail(email) else { throw GoogleError.identity("INVALID_EMAIL") }
            guard pool.user(email: email) == nil else { throw GoogleError.identity("EMAIL_EXISTS") }
            user.email = email
            user.isEmailVerified = false
            user.validSince = now
        }
        if let isEmailVerified { user.isEmailVerified = isEmailVerified }
        if let phoneNumber, phoneNumber != user.phoneNumber {
            guard Self.isPhoneNumber(phoneNumber) else {
                throw GoogleError.identity("INVALID_PHONE_NUMBER : Invalid format.")
            }
            guard pool.user(phoneNumber: phoneNumber) == nil else {
                throw GoogleError.identity("PHONE_NUMBER_EXISTS")
            }
            user.phoneNumber = phoneNumber
        }
        if let password {
            guard password.count >= 6 else {
                throw GoogleError.identity("WEAK_PASSWORD : Password should be at least 6 characters")
            }
            user.setPassword(password, now: now)
        }
        guard (displayName ?? "").count <= 256 else {
            throw GoogleError.identity("INVALID_PROFILE_ATTRIBUTE : Display name too long.")
        }
        guard (photoURL ?? "").count <= 2048 else {
            throw GoogleError.identity("INVALID_PROFILE_ATTRIBUTE : Photo URL too long.")
        }
        user.displayName = displayName ?? user.displayName
        user.photoURL = photoURL ?? user.photoURL
    }

    /// Something, one `@`, something; what else makes an address nobody agrees on.
    private static func isEmail(_ text: String) -> Bool {
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        return sides.count == 2 && !sides.contains("") && text.utf8.count <= 256
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    /// E.164: a plus sign, and up to fifteen digits that do not begin with 0.
    static func isPhoneNumber(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.hasPrefix("+") && (7...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
