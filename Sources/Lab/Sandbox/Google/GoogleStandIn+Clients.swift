import Jansson

extension GoogleStandIn {
    /// The endpoints of Identity Toolkit and Secure Token for applications, which authenticate by an API key.
    func answerClient(_ request: IncomingRequest, _ path: GooglePath) throws(Refusal) -> Answer {
        try checkAPIKey(request, path)
        let members: [String: JSON] =
            switch path.endpoint {
            case .googleCustomSignIn: try signInWithCustomToken(request)
            case .googleSignUp: try signUp(request)
            case .googlePasswordSignIn: try signInWithPassword(request)
            case .googleRefresh: try refresh(request)
            case .googleClientLookup: Self.accounts([try ownUser(request)])
            default: try deleteOwn(request)
            }
        return .json(.object(members))
    }

    /// `accounts:signUp`: creates an anonymous user or one with a password, or sets the password of an ID token's user.
    private func signUp(_ request: IncomingRequest) throws(Refusal) -> [String: JSON] {
        let command = try read(request) { input throws(ControlError) in
            let command = (
                idToken: try input.string("idToken"), tenantID: try input.string("tenantId"),
                profile: try ProfileChange(&input)
            )
            Self.ignoreWhatClientsAdd(&input)
            return command
        }
        guard command.profile.isEmailVerified == nil, command.profile.phoneNumber == nil else {
            throw GoogleError.identity("OPERATION_NOT_ALLOWED")
        }
        let hasEmail = command.profile.email != nil
        guard hasEmail || command.profile.password == nil else { throw GoogleError.identity("MISSING_EMAIL") }
        guard !hasEmail || command.profile.password != nil else { throw GoogleError.identity("MISSING_PASSWORD") }
        var user: GoogleUser
        if let idToken = command.idToken {
            guard hasEmail else { throw GoogleError.identity("MISSING_EMAIL") }
            user = try verifiedUser(idToken: idToken, tenantID: command.tenantID)
        } else {
            user = GoogleUser(localID: try RandomText.uid(), tenantID: command.tenantID, now: clock.now)
        }
        try command.profile.apply(to: &user, of: try pool(user.tenantID), now: clock.now)
        var members = try signIn(user, provider: hasEmail ? "password" : "anonymous")
        members["kind"] = .string("identitytoolkit#SignupNewUserResponse")
        return members.merging(Self.outline(user)) { $1 }
    }

    /// `accounts:signInWithPassword`.
    ///
    /// An unknown address and a wrong password give the same error, as in projects since September 2023.
    private func signInWithPassword(_ request: IncomingRequest) throws(Refusal) -> [String: JSON] {
        let command = try read(request) { input throws(ControlError) in
            let command = (
                email: try input.string("email")?.lowercased() ?? "", password: try input.string("password") ?? "",
                tenantID: try input.string("tenantId")
            )
            Self.ignoreWhatClientsAdd(&input)
            return command
        }
        guard !command.email.isEmpty else { throw GoogleError.identity("INVALID_EMAIL") }
        guard !command.password.isEmpty else { throw GoogleError.identity("MISSING_PASSWORD") }
        guard let user = try pool(command.tenantID).user(email: command.email), user.isPassword(command.password) else {
            throw GoogleError.identity("INVALID_LOGIN_CREDENTIALS")
        }
        guard !user.isDisabled else { throw GoogleError.identity("USER_DISABLED") }
        var members = Self.outline(user)
        members["kind"] = .string("identitytoolkit#VerifyPasswordResponse")
        members["registered"] = .bool(true)
        guard user.secondFactors.isEmpty else {
            // The user gets no token before the second factor. The stand-in has no endpoint for it.
            members["mfaPendingCredential"] = .string(try RandomText.make(64))
            members["mfaInfo"] = .array(user.secondFactors)
            return members
        }
        return members.merging(try signIn(user, provider: "password")) { $1 }
    }

    /// `securetoken.googleapis.com/v1/token`.
    private func refresh(_ request: IncomingRequest) throws(Refusal) -> [String: JSON] {
        guard let form = request.bodyParameters, !form.hasRepeatedName, form["grant_type"] == "refresh_token" else {
            throw GoogleError.identity("INVALID_GRANT_TYPE")
        }
        guard let token = form["refresh_token"], !token.isEmpty else {
            throw GoogleError.identity("MISSING_REFRESH_TOKEN")
        }
        return try refresh(token)
    }

    /// Returns another ID token of the session of a refresh token.
    func refresh(_ token: String) throws(Refusal) -> [String: JSON] {
        guard let session = sessions[exactly: token] else { throw GoogleError.identity("INVALID_REFRESH_TOKEN") }
        let now = clock.now
        var user = try user(session.localID, session.tenantID, signedInAt: session.authTime)
        user.lastRefreshAt = now
        try changingPool(user.tenantID) { pool throws(Refusal) in pool.put(user) }
        let idToken = JSON.string(try idTokenKeys.token(claims(of: session, user, issuedAt: now), now: now))
        return [
            "access_token": idToken, "id_token": idToken, "expires_in": .string("3600"),
            "token_type": .string("Bearer"), "refresh_token": .string(token), "user_id": .string(user.localID),
            "project_id": .string(projectNumber),
        ]
    }

    private func deleteOwn(_ request: IncomingRequest) throws(Refusal) -> [String: JSON] {
        let user = try ownUser(request)
        try changingPool(user.tenantID) { pool throws(Refusal) in _ = pool.remove(user.localID) }
        return ["kind": .string("identitytoolkit#DeleteAccountResponse")]
    }

    private func ownUser(_ request: IncomingRequest) throws(Refusal) -> GoogleUser {
        let command = try read(request) { input throws(ControlError) in
            (idToken: try input.string("idToken") ?? "", tenantID: try input.string("tenantId"))
        }
        guard !command.idToken.isEmpty else { throw GoogleError.identity("MISSING_ID_TOKEN") }
        return try verifiedUser(idToken: command.idToken, tenantID: command.tenantID)
    }

    private static func ignoreWhatClientsAdd(_ input: inout ControlInput) {
        input.ignore("returnSecureToken", "clientType", "captchaResponse", "recaptchaVersion", "instanceId")
    }
}
