package import JOSE
internal import Jansson
package import Stores

/// A user of the Firebase project, proven by their ID token.
///
/// Only ``FirebaseIDTokenVerifier`` makes one. Whether the user was disabled or signed out since the token was issued
/// is not known.
package struct FirebaseUser: Sendable {
    /// 1 to 128 UTF-16 code units.
    package let uid: String
    /// When the person last proved who they are; a refreshed token keeps it.
    package let authenticatedAt: NumericDate
    package let issuedAt: NumericDate
    /// Whether Firebase calls them anonymous, and nothing in the token tells who they are.
    package let isAnonymous: Bool
    /// The Identity Platform tenant that they belong to.
    package let tenantID: String?
    /// Nil unless the token says that it is verified.
    package let email: String?
    /// `custom`, `password`, `google.com` and so on.
    package let signInProvider: String
    /// What they can sign in by at Firebase itself, as the token tells: `sign_in_provider`, unless it is a custom
    /// token's or an anonymous user's, and the providers among `identities`.
    ///
    /// An address among `identities` is none by itself: an administrator may have written it.
    package let waysIn: WaysIn
    /// Whether the token names anything by which this person could be told from others.
    ///
    /// A session that began with a custom token keeps its `sign_in_provider` for as long as it lasts, whatever its
    /// person adds meanwhile; `identities` says so.
    package let hasIdentity: Bool
    /// Whether a second factor was asked for, so that one is enrolled.
    package let usedSecondFactor: Bool
    /// For spending the token where it may be used once.
    package let record: SpentRecord
}

/// What Firebase's ID tokens say beyond OpenID Connect.
struct FirebaseUserRules {
    let claims: Claims
    let clockSkew: Duration

    /// `user_id` repeats `sub` where it is there.
    func checkUserID() throws(JOSEError) {
        guard let userID = try claims.text("user_id") else { return }
        guard Self.areSame(userID, try claims.requiredText("sub")) else { throw .malformedClaim("user_id") }
    }

    /// The person signed in before the token was issued, and not in the future.
    func checkAuthenticationTime(at now: NumericDate) throws(JOSEError) {
        let authenticatedAt = try claims.requiredDate("auth_time")
        guard authenticatedAt <= now + clockSkew else { throw .issuedInFuture(at: authenticatedAt, now: now) }
        guard authenticatedAt <= (try claims.requiredDate("iat")) + clockSkew else {
            throw .malformedClaim("auth_time")
        }
    }

    /// - Throws: ``FirebaseIDTokenError/tenantMismatch``, and ``FirebaseIDTokenError/claims(_:)`` for what is missing.
    func user(tenants: [String?], record: SpentRecord) throws(FirebaseIDTokenError) -> FirebaseUser {
        let firebase = claims["firebase"]
        guard firebase?.object != nil, let provider = firebase?["sign_in_provider"]?.string, !provider.isEmpty else {
            throw .claims(firebase == nil ? .missingClaim("firebase") : .malformedClaim("firebase"))
        }
        let tenantID = try Self.tenantID(firebase?["tenant"], among: tenants)
        let identities = try Self.identities(firebase?["identities"])
        // By octets, as all identifiers.
        let isCustom = Self.areSame(provider, "custom")
        let isPlain = isCustom || Self.areSame(provider, "anonymous")
        let saysAnonymous = isPlain && (!isCustom || claims["provider_id"] == .string("anonymous"))
        var waysIn = WaysIn(identities.filter { !Self.areSame($0, "email") })
        if !isPlain { waysIn.insert(provider) }
        do {
            return FirebaseUser(
                uid: try claims.requiredText("sub"),
                authenticatedAt: try claims.requiredDate("auth_time"),
                issuedAt: try claims.requiredDate("iat"),
                isAnonymous: saysAnonymous && identities.isEmpty,
                tenantID: tenantID,
                email: claims["email_verified"] == .bool(true) ? claims["email"]?.string : nil,
                signInProvider: provider,
                waysIn: waysIn,
                hasIdentity: !isPlain || !identities.isEmpty,
                usedSecondFactor: firebase?["sign_in_second_factor"] != nil,
                record: record)
        } catch {
            throw .claims(error)
        }
    }

    /// The members of `identities` that name anything: `{"google.com": ["1234"], "email": ["ann@example.org"]}`.
    private static func identities(_ claim: JSON?) throws(FirebaseIDTokenError) -> [String] {
        guard let claim else { return [] }
        guard let members = claim.object else { throw .claims(.malformedClaim("firebase")) }
        return members.filter { $0.value != .array([]) }.map(\.key)
    }

    private static func tenantID(
        _ claim: JSON?, among expected: [String?]
    ) throws(FirebaseIDTokenError) -> String? {
        for tenant in expected {
            switch (claim, tenant) {
            case (nil, nil): return nil
            case (.string(let claimed)?, let tenant?) where areSame(claimed, tenant): return tenant
            default: continue
            }
        }
        throw .tenantMismatch
    }

    /// Octet by octet: Swift takes canonically equivalent texts for one.
    private static func areSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}
