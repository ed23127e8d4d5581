import Jansson
import OpenSSL

/// A user of the project or of one of its tenants.
struct GoogleUser: Sendable {
    let localID: String
    let tenantID: String?
    /// Seconds since 1970-01-01T00:00:00Z, as all times here.
    let createdAt: Int64
    /// In lower case.
    var email: String?
    var isEmailVerified = false
    var displayName: String?
    var photoURL: String?
    /// E.164.
    var phoneNumber: String?
    var isDisabled = false
    /// Federated ones, at most one for each provider.
    var links: [GoogleProviderLink] = []
    private(set) var password: Password?
    /// Sessions that began before are over.
    var validSince: Int64
    var lastLoginAt: Int64?
    var lastRefreshAt: Int64?
    /// A JSON object as text.
    var customAttributes: String?
    /// Whether a custom token brought the user.
    var isCustom = false
    /// `mfaInfo`, as it was sent, each with an `mfaEnrollmentId`.
    var secondFactors: [JSON] = []

    struct Password: Sendable {
        let hash: [UInt8]
        let updatedAt: Int64
    }

    init(localID: String, tenantID: String?, now: Int64) {
        self.localID = localID
        self.tenantID = tenantID
        createdAt = now
        validSince = now
    }

    /// Ends all sessions too.
    mutating func setPassword(_ text: String, now: Int64) {
        password = Password(hash: Self.hash(text, localID), updatedAt: now)
        validSince = now
    }

    mutating func removePassword() {
        password = nil
    }

    func isPassword(_ text: String) -> Bool {
        password.map { constantTimeEqual($0.hash, Self.hash(text, localID)) } ?? false
    }

    mutating func remove(provider: String) {
        links.removeAll { $0.providerID == provider }
        switch provider {
        case "password":
            password = nil
            email = nil
            isEmailVerified = false
        case "phone":
            phoneNumber = nil
        default:
            break
        }
    }

    /// In the place of the provider's earlier one.
    mutating func add(_ link: GoogleProviderLink) {
        links.removeAll { $0.providerID == link.providerID }
        links.append(link)
    }

    private static func hash(_ password: String, _ salt: String) -> [UInt8] {
        HMACSHA256.authenticationCode(for: Array(password.utf8), key: Array(salt.utf8))
    }
}
