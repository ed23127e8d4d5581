import Jansson

extension GoogleStandIn {
    /// The endpoints of Identity Toolkit for administrators of the project or of a tenant.
    func answerAdministrator(_ request: IncomingRequest, _ path: GooglePath) throws(Refusal) -> Answer {
        if path.endpoint == .googleWipe {
            // The emulator requires no authentication for this endpoint.
            sessions = [:]
            for tenant in pools.keys { pools[tenant] = GoogleUserPool() }
            return .json(.object([:]))
        }
        try authorize(request, path, scopes: [GoogleScope.identityToolkit, GoogleScope.cloudPlatform])
        guard path.projectID == projectID else { throw GoogleError.identity("PROJECT_NOT_FOUND") }
        let members: [String: JSON] =
            switch path.endpoint {
            case .googleCreate: try create(request, path.tenantID)
            case .googleLookup: try lookup(request, path.tenantID)
            case .googleUpdate: try update(request, path.tenantID)
            case .googleDelete: try delete(request, path.tenantID)
            case .googleBatchDelete: try deleteMany(request, path.tenantID)
            case .googleBatchGet: try list(request, path.tenantID)
            default: try query(request, path.tenantID)
            }
        return .json(.object(members))
    }

    private func create(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let command = try read(request) { input throws(ControlError) in
            let command = (
                localID: try input.string("localId"), isDisabled: try input.bool("disabled") ?? false,
                secondFactors: try SecondFactors.read(try input.inputs("mfaInfo") ?? []),
                profile: try ProfileChange(&input)
            )
            input.ignore("tenantId", "targetProjectId")
            return command
        }
        let localID = if let chosen = command.localID { chosen } else { try RandomText.uid() }
        guard (1...128).contains(localID.count) else {
            throw GoogleError.invalidArgument("Invalid value at 'localId': expected 1 to 128 characters")
        }
        let now = clock.now
        let user = try changingPool(tenantID) { pool throws(Refusal) in
            guard pool[localID] == nil else { throw GoogleError.identity("DUPLICATE_LOCAL_ID") }
            var user = GoogleUser(localID: localID, tenantID: tenantID, now: now)
            user.isDisabled = command.isDisabled
            user.secondFactors = command.secondFactors
            try command.profile.apply(to: &user, of: pool, now: now)
            pool.put(user)
            return user
        }
        return ["kind": .string("identitytoolkit#SignupNewUserResponse")].merging(Self.outline(user)) { $1 }
    }

    private func lookup(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let lookup = try read(request) { input throws(ControlError) in try AccountLookup(&input) }
        return Self.accounts(lookup.users(in: try pool(tenantID)))
    }

    private func update(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let update = try read(request) { input throws(ControlError) in try AccountUpdate(&input) }
        guard let localID = update.localID, !localID.isEmpty else { throw GoogleError.identity("MISSING_LOCAL_ID") }
        let now = clock.now
        let user = try changingPool(tenantID) { pool throws(Refusal) in
            guard var user = pool[localID] else { throw GoogleError.identity("USER_NOT_FOUND") }
            try update.apply(to: &user, of: pool, now: now)
            pool.put(user)
            return user
        }
        var members = Self.outline(user)
        members["kind"] = .string("identitytoolkit#SetAccountInfoResponse")
        members["emailVerified"] = .bool(user.isEmailVerified)
        members["providerUserInfo"] = .array(user.providerUserInfo)
        return members
    }

    private func delete(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let localID = try read(request) { input throws(ControlError) in
            input.ignore("targetProjectId", "tenantId")
            return try input.string("localId") ?? ""
        }
        guard !localID.isEmpty else { throw GoogleError.identity("MISSING_LOCAL_ID") }
        try changingPool(tenantID) { pool throws(Refusal) in
            guard pool.remove(localID) else { throw GoogleError.identity("USER_NOT_FOUND") }
        }
        return ["kind": .string("identitytoolkit#DeleteAccountResponse")]
    }

    /// The JSON of a list of users; `users` is absent if there are none.
    static func accounts(_ users: [GoogleUser]) -> [String: JSON] {
        var members: [String: JSON] = ["kind": .string("identitytoolkit#GetAccountInfoResponse")]
        if !users.isEmpty { members["users"] = .array(users.map(\.json)) }
        return members
    }

    static func outline(_ user: GoogleUser) -> [String: JSON] {
        var members: [String: JSON] = ["localId": .string(user.localID)]
        members["email"] = user.email.map { .string($0) }
        members["displayName"] = user.displayName.map { .string($0) }
        members["photoUrl"] = user.photoURL.map { .string($0) }
        return members
    }
}

extension GoogleStandIn {
    /// `accounts:batchDelete`: it ignores unknown ids, and without `force` it deletes only disabled users.
    func deleteMany(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let command = try read(request) { input throws(ControlError) in
            let command = (localIDs: try input.strings("localIds"), isForced: try input.bool("force") ?? false)
            input.ignore("tenantId")
            return command
        }
        guard !command.localIDs.isEmpty, command.localIDs.count <= 1000 else {
            throw GoogleError.identity("LOCAL_ID_LIST_EXCEEDS_LIMIT")
        }
        let errors = try changingPool(tenantID) { pool throws(Refusal) -> [JSON] in
            var errors: [JSON] = []
            for (index, localID) in command.localIDs.enumerated() {
                guard let user = pool[localID] else { continue }
                guard command.isForced || user.isDisabled else {
                    errors.append(
                        .object([
                            "index": .integer(Int64(index)), "localId": .string(localID),
                            "message": .string("NOT_DISABLED : Disable the account before batch deletion."),
                        ]))
                    continue
                }
                _ = pool.remove(localID)
            }
            return errors
        }
        return errors.isEmpty ? [:] : ["errors": .array(errors)]
    }

    /// `accounts:batchGet`: users in the order of their ids.
    ///
    /// The page token is the last id of the page.
    func list(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let parameters = request.queryParameters
        guard let count = Int(parameters?["maxResults"] ?? "20"), (1...1000).contains(count) else {
            throw GoogleError.invalidArgument("Invalid value at 'maxResults': expected 1 to 1000")
        }
        let token = parameters?["nextPageToken"] ?? ""
        let rest = try pool(tenantID).all.drop { !token.utf8.lexicographicallyPrecedes($0.localID.utf8) }
        let page = rest.prefix(count)
        var members: [String: JSON] = ["kind": .string("identitytoolkit#DownloadAccountResponse")]
        if !page.isEmpty { members["users"] = .array(page.map(\.json)) }
        // Google sends a token with every full page, even if it is the last one.
        if page.count == count, let last = page.last { members["nextPageToken"] = .string(last.localID) }
        return members
    }

    /// `accounts:query` with at most one expression.
    ///
    /// Users are in the order of their ids.
    func query(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let command = try read(request) { input throws(ControlError) in
            let command = (
                limit: try input.int64("limit") ?? 500, offset: try input.int64("offset") ?? 0,
                returnsUsers: try input.bool("returnUserInfo") ?? true,
                expressions: try input.inputs("expression") ?? []
            )
            input.ignore("sortBy", "order", "tenantId")
            return command
        }
        guard (1...500).contains(command.limit), (0...1_000_000).contains(command.offset),
            command.expressions.count <= 1
        else { throw GoogleError.invalidArgument("Invalid value at 'limit': expected 1 to 500") }
        var users = try pool(tenantID).all
        if var expression = command.expressions.first {
            do throws(ControlError) {
                if let email = try expression.string("email")?.lowercased() { users.removeAll { $0.email != email } }
                if let id = try expression.string("userId") { users.removeAll { $0.localID != id } }
                if let number = try expression.string("phoneNumber") { users.removeAll { $0.phoneNumber != number } }
                try expression.finish()
            } catch {
                throw GoogleError.invalidArgument("Invalid value at 'expression'")
            }
        }
        guard command.returnsUsers else { return ["recordsCount": .string(String(users.count))] }
        let page = users.dropFirst(Int(command.offset)).prefix(Int(command.limit))
        var members: [String: JSON] = ["recordsCount": .string(String(page.count))]
        if !page.isEmpty { members["userInfo"] = .array(page.map(\.json)) }
        return members
    }
}
