import Jansson
import Stores
import Transport

extension Toolkit.State {
    mutating func perform(_ method: String, _ body: JSON) -> OutboundResponse {
        let uid = body["localId"]?.string ?? ""
        switch method {
        case "accounts:lookup":
            let found = lookup(body)
            return found.isEmpty ? Self.ok([:]) : Self.ok(["users": .array(found)])
        case "accounts":
            guard users[uid] == nil else { return Self.error("DUPLICATE_LOCAL_ID") }
            users[uid] = ["localId": .string(uid), "createdAt": .string("1700000000456")]
            return Self.ok(["localId": .string(uid)])
        case "accounts:update":
            return update(uid, body)
        case "accounts:delete":
            guard users[uid] != nil else { return Self.error("USER_NOT_FOUND") }
            remove(uid)
            return Self.ok([:])
        case "accounts:batchDelete":
            for uid in body["localIds"]?.array ?? [] { remove(uid.string ?? "") }
            return Self.ok([:])
        case "accounts:signInWithCustomToken":
            return Self.ok([
                "idToken": .string("id-token"), "refreshToken": .string("refresh-token"),
                "expiresIn": .string("3600"), "isNewUser": .bool(true),
            ])
        default:
            return Self.error("NO_SUCH_METHOD")
        }
    }

    private func lookup(_ body: JSON) -> [JSON] {
        var uids = (body["localId"]?.array ?? []).compactMap(\.string)
        for identity in body["federatedUserId"]?.array ?? [] {
            uids += [owners[Self.identity(identity)]].compactMap(\.self)
        }
        let emails = (body["email"]?.array ?? []).compactMap(\.string)
        uids += users.filter { $0.value["email"]?.string.map(emails.contains) ?? false }.keys
        return Set(uids).sorted().compactMap { users[$0].map { .object($0) } }
    }

    private mutating func update(_ uid: String, _ body: JSON) -> OutboundResponse {
        guard users[uid] != nil else { return Self.error("USER_NOT_FOUND") }
        if let email = body["email"]?.string,
            users.contains(where: { $0.key != uid && $0.value["email"]?.string == email })
        {
            return Self.error("EMAIL_EXISTS : in words")
        }
        if let info = body["linkProviderUserInfo"]?.object { link(info, uid) }
        for provider in body["deleteProvider"]?.array ?? [] { unlink(provider.string ?? "", uid) }
        for name in ["displayName", "photoUrl", "email", "emailVerified", "validSince"] {
            if let value = body[name] { users[uid]?[name] = value }
        }
        return Self.ok(["localId": .string(uid)])
    }

    mutating func link(_ info: [String: JSON], _ uid: String) {
        unlink(info["providerId"]?.string ?? "", uid)
        let others = users[uid]?["providerUserInfo"]?.array ?? []
        users[uid]?["providerUserInfo"] = .array(others + [.object(info)])
        // The trap: who had it before still lists it, and nobody finds them by it any more.
        owners[Self.identity(.object(info))] = uid
    }

    mutating func unlink(_ provider: String, _ uid: String) {
        let rest = (users[uid]?["providerUserInfo"]?.array ?? []).filter { $0["providerId"]?.string != provider }
        users[uid]?["providerUserInfo"] = .array(rest)
        owners = owners.filter { $0.key.provider != provider || $0.value != uid }
    }

    mutating func remove(_ uid: String) {
        users[uid] = nil
        owners = owners.filter { $0.value != uid }
    }

    private static func identity(_ value: JSON) -> ExternalIdentity {
        ExternalIdentity(provider: value["providerId"]?.string ?? "", subject: value["rawId"]?.string ?? "")
    }

    private static func ok(_ members: [String: JSON]) -> OutboundResponse {
        OutboundResponse(status: 200, body: JSON.object(members).serialized())
    }

    private static func error(_ code: String) -> OutboundResponse {
        OutboundResponse(status: 400, body: Array(#"{"error":{"code":400,"message":"\#(code)"}}"#.utf8))
    }
}
