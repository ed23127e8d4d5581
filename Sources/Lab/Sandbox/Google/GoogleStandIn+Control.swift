import Jansson

/// Orders of the control listener.
extension GoogleStandIn {
    /// Everything but users.
    var summary: JSON {
        .object([
            "project_id": .string(projectID), "project_number": .string(projectNumber), "api_key": .string(apiKey),
            "default_account": .string(defaultAccount),
            "service_accounts": .array(serviceAccounts.keys.sorted().map { .string($0) }),
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

    /// The user as he is then.
    func change(_ order: FirebaseUserOrder) throws(ControlError) -> JSON {
        try carryingOut { () throws(Refusal) in
            try changingPool(order.tenantID) { pool throws(Refusal) in
                var user = pool[order.uid] ?? GoogleUser(localID: order.uid, tenantID: order.tenantID, now: clock.now)
                user.isDisabled = order.isDisabled ?? user.isDisabled
                user.email = order.email ?? user.email
                user.isEmailVerified = order.isEmailVerified ?? user.isEmailVerified
                user.displayName = order.displayName ?? user.displayName
                user.validSince = order.validSince ?? user.validSince
                switch order.hasSecondFactor {
                case true?:
                    user.secondFactors = [
                        .object(["mfaEnrollmentId": .string("factor-1"), "phoneInfo": .string("+15555550100")])
                    ]
                case false?: user.secondFactors = []
                case nil: break
                }
                if let link = order.link { user.add(link) }
                pool.put(user)
                return user.json
            }
        }
    }

    func make(_ order: FirebaseIDTokenOrder) throws(ControlError) -> JSON {
        try carryingOut { () throws(Refusal) in
            let now = clock.now
            let session = GoogleSession(
                localID: order.uid, tenantID: order.tenantID, provider: order.provider,
                developerClaims: order.developerClaims, authTime: now - order.authenticatedSecondsAgo)
            let user = pools[exactly: order.tenantID ?? ""]?[order.uid]
            var claims = claims(of: session, user, issuedAt: now - order.issuedSecondsAgo)
            if let other = order.projectID {
                claims["iss"] = .string("https://securetoken.google.com/" + other)
                claims["aud"] = .string(other)
            }
            return .object([
                "id_token": .string(try idTokenKeys.token(claims, spoiledBy: order.defect, now: now))
            ])
        }
    }

    func make(_ order: AppCheckTokenOrder) throws(ControlError) -> JSON {
        try carryingOut { () throws(Refusal) in try issue(order) }
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

    /// The new key's id.
    func rotate(appCheck: Bool, keepingOld: Bool) throws(ControlError) -> JSON {
        let now = clock.now
        let key = try carryingOut { () throws(Refusal) in
            appCheck
                ? try appCheckKeys.rotate(keepingOld: keepingOld, now: now)
                : try idTokenKeys.rotate(keepingOld: keepingOld, now: now)
        }
        return .object(["kid": .string(key.id)])
    }

    private func carryingOut<Value>(_ order: () throws(Refusal) -> Value) throws(ControlError) -> Value {
        do {
            return try order()
        } catch {
            throw .refused(String(decoding: error.answer.body, as: UTF8.self))
        }
    }
}
