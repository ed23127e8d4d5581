import Firebase
import Jansson
import Standards
import Stores
import Synchronization
import Transport

/// A small Identity Toolkit with users in memory, and with faults that a test requests.
///
/// Like the emulator, it moves an identity that is linked again to the new user, without an error.
final class Toolkit: Sendable {
    enum Fault: Sendable {
        /// The call has no effect.
        case error(TransportError)
        /// The call takes effect, and its response is lost.
        case lost
        case answer(Int, String, [HeaderField] = [])
    }

    struct State {
        var users: [UID: [String: JSON]] = [:]
        /// The users of the identities.
        var owners: [ExternalIdentity: UID] = [:]
        var requests: [OutboundRequest] = []
        var faults: [String: [Fault]] = [:]
        var down: [String: Fault] = [:]
        var hooks: [String: @Sendable (Toolkit) async -> Void] = [:]
    }

    static let base = "https://toolkit.example/v1/projects/project/"
    /// The error of the directory after the usual fault of ``down(_:_:)``.
    static let unreachable = StoreError(IdentityToolkitError.unreachable(.unreachable(host: "toolkit.example")))

    let state = Mutex(State())

    var transport: HTTPTransport {
        HTTPTransport { request throws(TransportError) in try await self.answer(request) }
    }

    // MARK: - Setup and inspection by tests

    /// Lets the next calls of a method fail, each with the next fault.
    func fail(_ method: String, _ faults: Fault...) { state.withLock { $0.faults[method] = faults } }

    /// Lets all calls of a method fail until `up`.
    func down(_ method: String, _ fault: Fault = .error(.unreachable(host: "toolkit.example"))) {
        state.withLock { $0.down[method] = fault }
    }

    func up() { state.withLock { $0.down = [:] } }

    /// Runs an action of others just before the next call of a method, after its fault was chosen.
    func before(_ method: String, _ hook: @escaping @Sendable (Toolkit) async -> Void) {
        state.withLock { $0.hooks[method] = hook }
    }

    /// Adds a user, or sets members of one anew.
    func put(_ uid: UID, _ members: [String: JSON] = [:]) {
        state.withLock { state in
            state.users[uid, default: ["localId": .string(uid.text), "createdAt": .string("1690000000123")]]
                .merge(members) { $1 }
        }
    }

    /// Links an identity natively.
    func link(_ identity: ExternalIdentity, to uid: UID) {
        put(uid)
        state.withLock {
            $0.link(["providerId": .string(identity.provider.text), "rawId": .string(identity.subject.text)], uid)
        }
    }

    func unlink(_ provider: ProviderID, from uid: UID) { state.withLock { $0.unlink(provider, uid) } }

    func remove(_ uid: UID) { state.withLock { $0.remove(uid) } }

    func member(_ name: String, of uid: UID) -> JSON? { state.withLock { $0.users[uid]?[name] } }

    func owner(of identity: ExternalIdentity) -> UID? { state.withLock { $0.owners[identity] } }

    func providers(of uid: UID) -> [String] {
        (member("providerUserInfo", of: uid)?.array ?? []).compactMap { $0["providerId"]?.string }.sorted()
    }

    var uids: [UID] { state.withLock { $0.users.keys.sorted() } }

    /// The called methods, in order.
    var calls: [String] { requests.map(Self.method) }

    var requests: [OutboundRequest] { state.withLock { $0.requests } }

    func forgetCalls() { state.withLock { $0.requests = [] } }

    // MARK: - Responses

    private static func method(_ request: OutboundRequest) -> String {
        String(request.url.split(separator: "/").last?.prefix { $0 != "?" } ?? "")
    }

    private func answer(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
        let method = Self.method(request)
        let (hook, fault) = state.withLock { state -> ((@Sendable (Toolkit) async -> Void)?, Fault?) in
            state.requests.append(request)
            let planned = state.faults[method] ?? []
            if !planned.isEmpty { state.faults[method] = Array(planned.dropFirst()) }
            return (state.hooks.removeValue(forKey: method), planned.first ?? state.down[method])
        }
        await hook?(self)
        // Other calls may be served first, as over a network.
        await Task.yield()
        switch fault {
        case .error(let error):
            throw error
        case .answer(let status, let body, let header):
            return OutboundResponse(status: status, header: header, body: Array(body.utf8))
        case .lost:
            _ = state.withLock { $0.perform(method, request.json) }
            throw .interrupted(host: "toolkit.example")
        case nil:
            return state.withLock {
                $0.perform(method, method == "accounts:batchGet" ? request.queryFields : request.json)
            }
        }
    }
}

extension OutboundRequest {
    var json: JSON { (try? JSON.parse(body)) ?? .null }

    /// The parameters of the query.
    var queryFields: JSON {
        let fields = (url.split(separator: "?").dropFirst().first ?? "").split(separator: "&")
        return .object(
            Dictionary(
                uniqueKeysWithValues: fields.map { field in
                    let parts = field.split(separator: "=", omittingEmptySubsequences: false)
                    return (String(parts[0]), .string(String(parts[1])))
                }))
    }
}

extension Toolkit.State {
    mutating func perform(_ method: String, _ body: JSON) -> OutboundResponse {
        let uid: UID = "\(body["localId"]?.string ?? "none")"
        switch method {
        case "accounts:lookup":
            let found = lookup(body)
            return found.isEmpty ? Self.ok([:]) : Self.ok(["users": .array(found)])
        case "accounts":
            guard users[uid] == nil else { return Self.error("DUPLICATE_LOCAL_ID") }
            users[uid] = ["localId": .string(uid.text), "createdAt": .string("1700000000456")]
            return Self.ok(["localId": .string(uid.text)])
        case "accounts:batchGet":
            return list(body)
        case "accounts:update":
            return update(uid, body)
        case "accounts:delete":
            guard users[uid] != nil else { return Self.error("USER_NOT_FOUND") }
            remove(uid)
            return Self.ok([:])
        case "accounts:batchDelete":
            for uid in body["localIds"]?.array ?? [] { remove("\(uid.string ?? "none")") }
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
        var uids = (body["localId"]?.array ?? []).compactMap { $0.string.flatMap { UID($0) } }
        for identity in body["federatedUserId"]?.array ?? [] {
            uids += [owners[Self.identity(identity)]].compactMap(\.self)
        }
        let emails = (body["email"]?.array ?? []).compactMap(\.string)
        uids += users.filter { $0.value["email"]?.string.map(emails.contains) ?? false }.keys
        return Set(uids).sorted().compactMap { users[$0].map { .object($0) } }
    }

    private func list(_ query: JSON) -> OutboundResponse {
        let limit = Int(query["maxResults"]?.string ?? "") ?? 20
        let page = users.keys.sorted().filter { $0.text > query["nextPageToken"]?.string ?? "" }.prefix(limit)
        var members: [String: JSON] = [:]
        if !page.isEmpty { members["users"] = .array(page.compactMap { users[$0].map { .object($0) } }) }
        // Google sends a token with every full page.
        if page.count == limit { members["nextPageToken"] = page.last.map { .string($0.text) } }
        return Self.ok(members)
    }

    private mutating func update(_ uid: UID, _ body: JSON) -> OutboundResponse {
        guard users[uid] != nil else { return Self.error("USER_NOT_FOUND") }
        if let email = body["email"]?.string,
            users.contains(where: { $0.key != uid && $0.value["email"]?.string == email })
        {
            return Self.error("EMAIL_EXISTS : in words")
        }
        if let info = body["linkProviderUserInfo"]?.object { link(info, uid) }
        for provider in body["deleteProvider"]?.array ?? [] { unlink("\(provider.string ?? "")", uid) }
        for name in ["displayName", "photoUrl", "email", "emailVerified", "validSince"] {
            if let value = body[name] { users[uid]?[name] = value }
        }
        if let value = body["disableUser"] { users[uid]?["disabled"] = value }
        for (attribute, name) in [("DISPLAY_NAME", "displayName"), ("PHOTO_URL", "photoUrl"), ("EMAIL", "email")]
        where body["deleteAttribute"]?.array?.contains(.string(attribute)) == true {
            users[uid]?[name] = nil
        }
        return Self.ok(["localId": .string(uid.text)])
    }

    mutating func link(_ info: [String: JSON], _ uid: UID) {
        unlink("\(info["providerId"]?.string ?? "")", uid)
        let others = users[uid]?["providerUserInfo"]?.array ?? []
        users[uid]?["providerUserInfo"] = .array(others + [.object(info)])
        // The former user still lists the identity, but is no longer found by it.
        owners[Self.identity(.object(info))] = uid
    }

    mutating func unlink(_ provider: ProviderID, _ uid: UID) {
        let rest = (users[uid]?["providerUserInfo"]?.array ?? []).filter { $0["providerId"]?.string != provider.text }
        users[uid]?["providerUserInfo"] = .array(rest)
        owners = owners.filter { $0.key.provider != provider || $0.value != uid }
    }

    mutating func remove(_ uid: UID) {
        users[uid] = nil
        owners = owners.filter { $0.value != uid }
    }

    private static func identity(_ value: JSON) -> ExternalIdentity {
        ExternalIdentity(
            provider: "\(value["providerId"]?.string ?? "")", subject: "\(value["rawId"]?.string ?? "none")")
    }

    private static func ok(_ members: [String: JSON]) -> OutboundResponse {
        OutboundResponse(status: 200, body: JSON.object(members).serialized())
    }

    private static func error(_ code: String) -> OutboundResponse {
        OutboundResponse(status: 400, body: Array(#"{"error":{"code":400,"message":"\#(code)"}}"#.utf8))
    }
}
