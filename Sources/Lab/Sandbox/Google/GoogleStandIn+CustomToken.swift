import Jansson

extension GoogleStandIn {
    private static var customTokenAudience: String {
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    }

    /// `accounts:signInWithCustomToken`; a token is good as often as it is sent until it expires.
    func signInWithCustomToken(_ request: IncomingRequest) throws(Refusal) -> [String: JSON] {
        let order = try read(request) { input throws(ControlError) in
            let order = (token: try input.string("token") ?? "", tenantID: try input.string("tenantId"))
            input.ignore("returnSecureToken", "instanceId")
            return order
        }
        guard !order.token.isEmpty else { throw GoogleError.identity("MISSING_CUSTOM_TOKEN") }
        let payload = try customToken(order.token)
        guard let localID = payload["uid"]?.string, !localID.isEmpty else {
            throw GoogleError.identity("MISSING_IDENTIFIER")
        }
        guard localID.count <= 128 else {
            throw GoogleError.identity("INVALID_CUSTOM_TOKEN : The uid has more than 128 characters.")
        }
        let developerClaims = try CustomClaims.check(payload["claims"])
        guard payload["tenant_id"]?.string == order.tenantID else { throw GoogleError.identity("TENANT_ID_MISMATCH") }

        let known = try pool(order.tenantID)[localID]
        guard known?.isDisabled != true else { throw GoogleError.identity("USER_DISABLED") }
        var user = known ?? GoogleUser(localID: localID, tenantID: order.tenantID, now: clock.now)
        user.isCustom = true
        var members = try signIn(user, provider: "custom", developerClaims: developerClaims)
        members["kind"] = .string("identitytoolkit#VerifyCustomTokenResponse")
        members["isNewUser"] = .bool(known == nil)
        return members
    }

    /// The payload of a token that an account of this project signed.
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
