import Jansson

/// Commands of the control listener.
extension GoogleStandIn {
    /// The state of the stand-in, without users.
    var summary: JSON {
        .object([
            "project_id": .string(projectID), "project_number": .string(projectNumber), "api_key": .string(apiKey),
            "default_account": .string(defaultAccount),
            "service_accounts": .array(serviceAccounts.keys.sorted().map { .string($0) }),
            "secrets": .array(secrets.keys.sorted().map { .string($0) }),
            "tenants": .array(pools.keys.filter { !$0.isEmpty }.sorted().map { .string($0) }),
        ])
    }

    func removeAccessTokens() {
        accessTokens = [:]
    }

    func removeUsers() {
        sessions = [:]
        for tenant in pools.keys { pools[tenant] = GoogleUserPool() }
    }

    func setTenants(_ tenants: [String]) {
        let kept = Set(tenants + [""])
        pools = pools.filter { kept.contains($0.key) }
        for tenant in kept where pools[tenant] == nil { pools[tenant] = GoogleUserPool() }
    }

    func users(of tenantID: String?) throws(ControlError) -> JSON {
        .array(try carryingOut { () throws(Refusal) in try pool(tenantID) }.all.map(\.json))
    }

    /// Changes or creates a user and returns its JSON.
    func change(_ command: FirebaseUserCommand) throws(ControlError) -> JSON {
        try carryingOut { () throws(Refusal) in
            try changingPool(command.tenantID) { pool throws(Refusal) in
                var user =
                    pool[command.uid] ?? GoogleUser(localID: command.uid, tenantID: command.tenantID, now: clock.now)
                user.isDisabled = command.isDisabled ?? user.isDisabled
                user.email = command.email ?? user.email
                user.isEmailVerified = command.isEmailVerified ?? user.isEmailVerified
                user.displayName = command.displayName ?? user.displayName
                user.validSince = command.validSince ?? user.validSince
                switch command.hasSecondFactor {
                case true?:
                    user.secondFactors = [
                        .object(["mfaEnrollmentId": .string("factor-1"), "phoneInfo": .string("+15555550100")])
                    ]
                case false?: user.secondFactors = []
                case nil: break
                }
                if let link = command.link { user.add(link) }
                pool.put(user)
                return user.json
            }
        }
    }

    func make(_ command: FirebaseIDTokenCommand) throws(ControlError) -> JSON {
        try carryingOut { () throws(Refusal) in
            let now = clock.now
            if command.createsUser, try pool(command.tenantID)[command.uid] == nil {
                let user = GoogleUser(localID: command.uid, tenantID: command.tenantID, now: now)
                try changingPool(command.tenantID) { pool throws(Refusal) in pool.put(user) }
            }
            let session = GoogleSession(
                localID: command.uid, tenantID: command.tenantID, provider: command.provider,
                developerClaims: command.developerClaims, authTime: now - command.authenticatedSecondsAgo)
            let user = pools[exactly: command.tenantID ?? ""]?[command.uid]
            var claims = claims(of: session, user, issuedAt: now - command.issuedSecondsAgo)
            if let other = command.projectID {
                claims["iss"] = .string("https://securetoken.google.com/" + other)
                claims["aud"] = .string(other)
            }
            return .object([
                "id_token": .string(try idTokenKeys.token(claims, spoiledBy: command.defect, now: now))
            ])
        }
    }

    func make(_ command: AppCheckTokenCommand) throws(ControlError) -> JSON {
        try carryingOut { () throws(Refusal) in try issue(command) }
    }

    func makeAccessToken(
        for email: String?, scopes: Set<String>, lifetime: Int64
    ) throws(ControlError) -> JSON {
        guard let account = serviceAccounts[exactly: email ?? defaultAccount] else {
            throw .refused("No such account.")
        }
        let token = try carryingOut { () throws(Refusal) in
            try issueAccessToken(to: account, scopes: scopes, lifetime: lifetime)
        }
        return .object(["access_token": .string(token)])
    }

    /// Creates a new key and returns its id.
    func rotate(appCheck: Bool, keepingOld: Bool) throws(ControlError) -> JSON {
        let now = clock.now
        let key = try carryingOut { () throws(Refusal) in
            appCheck
                ? try appCheckKeys.rotate(keepingOld: keepingOld, now: now)
                : try idTokenKeys.rotate(keepingOld: keepingOld, now: now)
        }
        return .object(["kid": .string(key.id)])
    }

    private func carryingOut<Value>(_ command: () throws(Refusal) -> Value) throws(ControlError) -> Value {
        do {
            return try command()
        } catch {
            throw .refused(String(decoding: error.answer.body, as: UTF8.self))
        }
    }
}
