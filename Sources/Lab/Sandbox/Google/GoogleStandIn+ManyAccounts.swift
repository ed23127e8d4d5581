import Jansson

extension GoogleStandIn {
    /// `accounts:batchDelete`: ids that are not known are passed over, and without `force` those who are not disabled
    /// stay.
    func deleteMany(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let order = try read(request) { input throws(ControlError) in
            let order = (localIDs: try input.strings("localIds"), isForced: try input.bool("force") ?? false)
            input.ignore("tenantId")
            return order
        }
        guard !order.localIDs.isEmpty, order.localIDs.count <= 1000 else {
            throw GoogleError.identity("LOCAL_ID_LIST_EXCEEDS_LIMIT")
        }
        let errors = try changingPool(tenantID) { pool throws(Refusal) -> [JSON] in
            var errors: [JSON] = []
            for (index, localID) in order.localIDs.enumerated() {
                guard let user = pool[localID] else { continue }
                guard order.isForced || user.isDisabled else {
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

    /// `accounts:batchGet`, in the order of the ids; the page token is the last id of the page.
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
        // Google sends a token with every page that is full, be it the last.
        if page.count == count, let last = page.last { members["nextPageToken"] = .string(last.localID) }
        return members
    }

    /// `accounts:query`, by at most one expression, in the order of the ids.
    func query(_ request: IncomingRequest, _ tenantID: String?) throws(Refusal) -> [String: JSON] {
        let order = try read(request) { input throws(ControlError) in
            let order = (
                limit: try input.int64("limit") ?? 500, offset: try input.int64("offset") ?? 0,
                returnsUsers: try input.bool("returnUserInfo") ?? true,
                expressions: try input.inputs("expression") ?? []
            )
            input.ignore("sortBy", "order", "tenantId")
            return order
        }
        guard (1...500).contains(order.limit), (0...1_000_000).contains(order.offset), order.expressions.count <= 1
        else { throw GoogleError.invalidArgument("Invalid value at 'limit': expected 1 to 500") }
        var users = try pool(tenantID).all
        if var expression = order.expressions.first {
            do throws(ControlError) {
                if let email = try expression.string("email")?.lowercased() { users.removeAll { $0.email != email } }
                if let id = try expression.string("userId") { users.removeAll { $0.localID != id } }
                if let number = try expression.string("phoneNumber") { users.removeAll { $0.phoneNumber != number } }
                try expression.finish()
            } catch {
                throw GoogleError.invalidArgument("Invalid value at 'expression'")
            }
        }
        guard order.returnsUsers else { return ["recordsCount": .string(String(users.count))] }
        let page = users.dropFirst(Int(order.offset)).prefix(Int(order.limit))
        var members: [String: JSON] = ["recordsCount": .string(String(page.count))]
        if !page.isEmpty { members["userInfo"] = .array(page.map(\.json)) }
        return members
    }
}
