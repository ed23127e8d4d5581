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
            case .googleClientUpdate: try updateOwn(request)
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
        let (grantType, refreshToken) = try refreshParameters(request)
        guard grantType == "refresh_token" else { throw GoogleError.identity("INVALID_GRANT_TYPE") }
        guard let token = refreshToken, !token.isEmpty else {
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

    /// Reads a form, or the JSON object that the Firebase SDKs for Apple's systems and C++ send.
    private func refreshParameters(
        _ request: IncomingRequest
    ) throws(Refusal) -> (grantType: String?, refreshToken: String?) {
        guard request.mediaType == "application/json" else {
            guard let form = request.bodyParameters, !form.hasRepeatedName else {
                throw GoogleError.identity("INVALID_GRANT_TYPE")
            }
            return (form["grant_type"], form["refresh_token"])
        }
        return try read(request) { input throws(ControlError) in
            (try input.string("grantType"), try input.string("refreshToken"))
        }
    }

    /// `accounts:update` of an application, for the name and the picture only.
    private func updateOwn(_ request: IncomingRequest) throws(Refusal) -> [String: JSON] {
        let command = try read(request) { input throws(ControlError) in
            let command = (
                idToken: try input.string("idToken") ?? "", tenantID: try input.string("tenantId"),
                name: try input.string("displayName"), picture: try input.string("photoUrl")
            )
            input.ignore("localId")
            Self.ignoreWhatClientsAdd(&input)
            return command
        }
        var user = try verifiedUser(idToken: command.idToken, tenantID: command.tenantID)
        user.displayName = command.name ?? user.displayName
        user.photoURL = command.picture ?? user.photoURL
        let changed = user
        try changingPool(user.tenantID) { pool throws(Refusal) in pool.put(changed) }
        return ["kind": .string("identitytoolkit#SetAccountInfoResponse")].merging(Self.outline(user)) { $1 }
    }

    private func deleteOwn(_ request: IncomingRequest) throws(Refusal) -> [String: JSON] {
        let user = try ownUser(request)
        try changingPool(user.tenantID) { pool throws(Refusal) in _ = pool.remove(user.localID) }
        return ["kind": .string("identitytoolkit#DeleteAccountResponse")]
    }

    private func ownUser(_ request: IncomingRequest) throws(Refusal) -> GoogleUser {
        let command = try read(request) { input throws(ControlError) in
            // The SDK for Apple's systems sends it with a deletion.
            input.ignore("localId")
            return (idToken: try input.string("idToken") ?? "", tenantID: try input.string("tenantId"))
        }
        return try verifiedUser(idToken: command.idToken, tenantID: command.tenantID)
    }

    private static func ignoreWhatClientsAdd(_ input: inout ControlInput) {
        input.ignore("returnSecureToken", "clientType", "captchaResponse", "recaptchaVersion", "instanceId")
    }
}
