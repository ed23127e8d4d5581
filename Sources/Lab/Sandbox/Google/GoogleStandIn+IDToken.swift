import JOSE
import Jansson

extension GoogleStandIn {
    /// The claims of an ID token, including `firebase`, valid for one hour from `issuedAt`.
    ///
    /// If there is no user, they contain only the user's id.
    func claims(of session: GoogleSession, _ user: GoogleUser?, issuedAt: Int64) -> [String: JSON] {
        var claims: [String: JSON] = [:]
        claims["name"] = user?.displayName.map { .string($0) }
        claims["picture"] = user?.photoURL.map { .string($0) }
        if let text = user?.customAttributes, case .object(let attributes)? = try? JSON.parse(Array(text.utf8)) {
            claims.merge(attributes) { $1 }
        }
        claims.merge(session.developerClaims) { $1 }
        // Developer claims cannot replace these.
        claims["iss"] = .string("https://securetoken.google.com/" + projectID)
        claims["aud"] = .string(projectID)
        claims["sub"] = .string(session.localID)
        claims["user_id"] = .string(session.localID)
        claims["auth_time"] = .integer(session.authTime)
        claims["iat"] = .integer(issuedAt)
        claims["exp"] = .integer(issuedAt + 3600)
        claims["email"] = user?.email.map { .string($0) }
        claims["email_verified"] = user?.email.map { _ in .bool(user?.isEmailVerified ?? false) }
        claims["phone_number"] = user?.phoneNumber.map { .string($0) }
        claims["provider_id"] = session.provider == "anonymous" ? .string("anonymous") : nil
        var firebase: [String: JSON] = [
            "identities": user?.identities ?? .object([:]), "sign_in_provider": .string(session.provider),
        ]
        firebase["tenant"] = session.tenantID.map { .string($0) }
        claims["firebase"] = .object(firebase)
        return claims
    }

    /// Creates a session and returns the members that all sign-ins of applications share.
    func signIn(
        _ user: GoogleUser, provider: String, developerClaims: [String: JSON] = [:]
    ) throws(Refusal) -> [String: JSON] {
        let now = clock.now
        var user = user
        user.lastLoginAt = now
        user.lastRefreshAt = now
        try changingPool(user.tenantID) { pool throws(Refusal) in pool.put(user) }
        let session = GoogleSession(
            localID: user.localID, tenantID: user.tenantID, provider: provider, developerClaims: developerClaims,
            authTime: now)
        let refreshToken = try RandomText.make(160)
        if sessions.count > 10_000 { sessions = [:] }
        sessions[refreshToken] = session
        return [
            "idToken": .string(try idTokenKeys.token(claims(of: session, user, issuedAt: now), now: now)),
            "refreshToken": .string(refreshToken), "expiresIn": .string("3600"),
        ]
    }

    /// Verifies an ID token of this stand-in and returns its user.
    ///
    /// - Throws: INVALID_ID_TOKEN, TOKEN_EXPIRED, USER_NOT_FOUND, USER_DISABLED, TENANT_ID_MISMATCH.
    func verifiedUser(idToken: String, tenantID: String?) throws(Refusal) -> GoogleUser {
        guard !idToken.isEmpty else { throw GoogleError.identity("MISSING_ID_TOKEN") }
        let now = clock.now
        guard let jws = try? CompactJWS.parse(idToken), jws.header.algorithm == "RS256",
            let keyID = jws.header.keyID?.text,
            idTokenKeys.isValid(signature: jws.signature, for: jws.signingInput, keyID: keyID),
            let claims = try? JSON.parse(jws.payload), claims["aud"]?.string == projectID,
            claims["iss"]?.string == "https://securetoken.google.com/" + projectID,
            let localID = claims["sub"]?.string, let expiry = claims["exp"]?.integer,
            let authTime = claims["auth_time"]?.integer
        else { throw GoogleError.identity("INVALID_ID_TOKEN") }
        guard expiry > now else { throw GoogleError.identity("TOKEN_EXPIRED") }
        let tenant = claims["firebase"]?["tenant"]?.string
        guard tenantID == nil || tenantID == tenant else { throw GoogleError.identity("TENANT_ID_MISMATCH") }
        return try user(localID, tenant, signedInAt: authTime)
    }

    /// Returns a user who exists, is not disabled, and whose session was not revoked.
    func user(_ localID: String, _ tenantID: String?, signedInAt authTime: Int64) throws(Refusal) -> GoogleUser {
        guard let user = try pool(tenantID)[localID] else { throw GoogleError.identity("USER_NOT_FOUND") }
        guard !user.isDisabled else { throw GoogleError.identity("USER_DISABLED") }
        guard authTime >= user.validSince else { throw GoogleError.identity("TOKEN_EXPIRED") }
        return user
    }
}

extension GoogleStandIn {
    private static var customTokenAudience: String {
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    }

    /// `accounts:signInWithCustomToken`.
    ///
    /// A token is accepted any number of times until it expires.
    func signInWithCustomToken(_ request: IncomingRequest) throws(Refusal) -> [String: JSON] {
        let command = try read(request) { input throws(ControlError) in
            let command = (token: try input.string("token") ?? "", tenantID: try input.string("tenantId"))
            input.ignore("returnSecureToken", "instanceId")
            return command
        }
        guard !command.token.isEmpty else { throw GoogleError.identity("MISSING_CUSTOM_TOKEN") }
        let payload = try customToken(command.token)
        guard let localID = payload["uid"]?.string, !localID.isEmpty else {
            throw GoogleError.identity("MISSING_IDENTIFIER")
        }
        guard localID.count <= 128 else {
            throw GoogleError.identity("INVALID_CUSTOM_TOKEN : The uid has more than 128 characters.")
        }
        let developerClaims = try CustomClaims.check(payload["claims"])
        guard payload["tenant_id"]?.string == command.tenantID else { throw GoogleError.identity("TENANT_ID_MISMATCH") }

        let known = try pool(command.tenantID)[localID]
        guard known?.isDisabled != true else { throw GoogleError.identity("USER_DISABLED") }
        var user = known ?? GoogleUser(localID: localID, tenantID: command.tenantID, now: clock.now)
        user.isCustom = true
        var members = try signIn(user, provider: "custom", developerClaims: developerClaims)
        members["kind"] = .string("identitytoolkit#VerifyCustomTokenResponse")
        members["isNewUser"] = .bool(known == nil)
        return members
    }

    /// Verifies that an account of this project signed the token, and returns its payload.
    private func customToken(_ text: String) throws(Refusal) -> JSON {
        let signed: ServiceAccountAssertion
        do throws(ServiceAccountAssertion.Defect) {
            signed = try assertion(text, audience: Self.customTokenAudience)
        } catch {
            switch error {
            case .malformed: throw GoogleError.identity("INVALID_CUSTOM_TOKEN : Invalid assertion format")
            case .unknownIssuer: throw GoogleError.identity("INVALID_CUSTOM_TOKEN : Unknown issuer")
            case .signature: throw GoogleError.identity("INVALID_CUSTOM_TOKEN : Invalid signature")
            case .audience: throw GoogleError.identity("INVALID_CUSTOM_TOKEN : Invalid audience")
            case .times: throw GoogleError.identity("INVALID_CUSTOM_TOKEN : Expired, too early, or good for too long")
            }
        }
        guard signed.payload["sub"] == .string(signed.account.email) else {
            throw GoogleError.identity("INVALID_CUSTOM_TOKEN : iss and sub are not the same")
        }
        guard signed.account.projectID == projectID else { throw GoogleError.identity("CREDENTIAL_MISMATCH") }
        return signed.payload
    }
}
