package import JOSE
internal import Jansson
package import Standards
package import Stores

/// A user of the Firebase project, from their verified ID token.
///
/// Only ``FirebaseIDTokenVerifier`` makes one. The user may have been disabled or signed out since the token was
/// issued.
package struct FirebaseUser: Sendable {
    package let uid: UID
    /// The time of the user's last sign-in, which a refreshed token keeps.
    package let authenticatedAt: NumericDate
    package let issuedAt: NumericDate
    /// Whether the token says that the user is anonymous, and names no identity.
    package let isAnonymous: Bool
    /// The user's Identity Platform tenant; `nil` for a user outside any tenant.
    package let tenantID: String?
    /// The verified e-mail address; `nil` if the token has none.
    package let email: String?
    /// The claim `sign_in_provider`, such as `custom`, `password` or `google.com`.
    package let signInProvider: String
    /// The providers by which the user can sign in at Firebase itself: those of `identities`, and `sign_in_provider`
    /// unless it is `custom` or `anonymous`.
    ///
    /// An e-mail address in `identities` does not count: an administrator may have set it.
    package let signInMethods: SignInMethods
    /// Whether the token names an identity of the person.
    ///
    /// A session that started with a custom token keeps the `sign_in_provider` `custom`. Identities that the person
    /// adds later are only in `identities`.
    package let hasIdentity: Bool
    /// Whether the user signed in with a second factor, so that one is enrolled.
    package let usedSecondFactor: Bool
    /// The record that spends the token, for calls that accept a token only once.
    package let record: SpentRecord
    /// All claims of the token.
    ///
    /// Developer claims are at the top level, under their own names.
    package let claims: Claims
}

/// The rules for the claims of Firebase that OpenID Connect does not define.
struct FirebaseUserRules {
    let claims: Claims
    let clockSkew: Duration

    /// Checks that `user_id` is equal to `sub`, if it is present.
    func checkUserID() throws(JOSEError) {
        guard let userID = try claims.text("user_id") else { return }
        guard userID.exactlyEquals(try claims.requiredText("sub")) else { throw .malformedClaim("user_id") }
    }

    /// Checks that the sign-in is neither after the time of issue nor in the future.
    func checkAuthenticationTime(at now: NumericDate) throws(JOSEError) {
        let authenticatedAt = try claims.requiredDate("auth_time")
        guard authenticatedAt <= now + clockSkew else { throw .issuedInFuture(at: authenticatedAt, now: now) }
        guard authenticatedAt <= (try claims.requiredDate("iat")) + clockSkew else {
            throw .malformedClaim("auth_time")
        }
    }

    /// Reads the user from the claims.
    ///
    /// - Parameters:
    ///   - tenants: Tenants whose users may call. `nil` means users outside any tenant.
    ///   - record: The record that spends the token.
    /// - Throws: ``FirebaseTokenError/tenantMismatch(found:expected:)``; ``FirebaseTokenError/claims(_:)`` for a missing or
    ///   malformed claim.
    func user(tenants: [String?], record: SpentRecord) throws(FirebaseTokenError) -> FirebaseUser {
        let firebase = claims["firebase"]
        guard firebase?.object != nil, let provider = firebase?["sign_in_provider"]?.string, !provider.isEmpty else {
            throw .claims(firebase == nil ? .missingClaim("firebase") : .malformedClaim("firebase"))
        }
        let tenantID = try Self.tenantID(firebase?["tenant"], among: tenants)
        let identities = try Self.identities(firebase?["identities"])
        // Identifiers are compared by octets.
        let isCustom = provider.exactlyEquals("custom")
        let isPlain = isCustom || provider.exactlyEquals("anonymous")
        let saysAnonymous = isPlain && (!isCustom || claims["provider_id"] == .string("anonymous"))
        var signInMethods = SignInMethods(identities.filter { !$0.exactlyEquals("email") }.map { ProviderID($0) })
        if !isPlain { signInMethods.insert(ProviderID(provider)) }
        do throws(JOSEError) {
            guard let uid = UID(try claims.requiredText("sub")) else { throw JOSEError.malformedClaim("sub") }
            return FirebaseUser(
                uid: uid,
                authenticatedAt: try claims.requiredDate("auth_time"),
                issuedAt: try claims.requiredDate("iat"),
                isAnonymous: saysAnonymous && identities.isEmpty,
                tenantID: tenantID,
                email: claims["email_verified"] == .bool(true) ? claims["email"]?.string : nil,
                signInProvider: provider,
                signInMethods: signInMethods,
                hasIdentity: !isPlain || !identities.isEmpty,
                usedSecondFactor: firebase?["sign_in_second_factor"]?.string != nil,
                record: record,
                claims: claims)
        } catch {
            throw .claims(error)
        }
    }

    /// Returns the names of `identities` that have a value: `{"google.com": ["1234"], "email": ["ann@example.org"]}`.
    private static func identities(_ claim: JSON?) throws(FirebaseTokenError) -> [String] {
        guard let claim else { return [] }
        guard let members = claim.object else { throw .claims(.malformedClaim("firebase")) }
        return members.filter { $0.value != .array([]) }.map(\.key)
    }

    private static func tenantID(
        _ claim: JSON?, among expected: [String?]
    ) throws(FirebaseTokenError) -> String? {
        for tenant in expected {
            switch (claim, tenant) {
            case (nil, nil): return nil
            case (.string(let claimed)?, let tenant?) where claimed.exactlyEquals(tenant): return tenant
            default: continue
            }
        }
        throw .tenantMismatch(found: claim?.string, expected: expected)
    }
}
