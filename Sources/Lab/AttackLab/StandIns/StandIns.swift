package import Jansson

/// The stand-ins of `token-exchange-lab sandbox`, steered over their control listener.
struct StandIns: Sendable {
    struct Addresses: Sendable {
        let yahoo: String
        let x: String
        let google: String
        let hostile: String
        let control: String
    }

    let addresses: Addresses
    private let control: Wire

    init(_ addresses: Addresses) {
        self.addresses = addresses
        control = Wire(base: addresses.control)
    }

    /// Tokens and a code as if `user` had allowed `application` (`ours` or `hostile`): `id_token`, `access_token`, `code`,
    /// or `oauth_token`, `oauth_token_secret`.
    func issue(_ order: JSON) async throws -> JSON { try await obey("POST", "/issue", order) }

    /// A compact JWS over exactly these bytes.
    ///
    /// - `key`: `own` (ES256), `rsa` (RS256), `foreign` (ES256 by a key that is in no set), `hs256`, `malleated`, `none`.
    func sign(header: [UInt8], payload: [UInt8], key: String) async throws -> String {
        let answer = try await obey(
            "POST", "/yahoo/sign",
            [
                "header_base64url": .string(Base64.urlEncode(header)),
                "payload_base64url": .string(Base64.urlEncode(payload)), "key": .string(key),
            ])
        guard let token = answer["token"]?.string else { throw Inconclusive("The stand-in signed nothing.") }
        return token
    }

    /// `own_kid`, `rsa_kid`, `issuer`, `own_pem`, `rsa_pem`.
    func keys() async throws -> JSON { try await obey("GET", "/yahoo/keys", nil) }

    /// Places a fault, in the words of `PUT /faults` of the control listener.
    func fault(_ order: JSON) async throws { _ = try await obey("PUT", "/faults", order) }

    /// Makes the next ID tokens of Yahoo's stand-in wrong, in the words of `PUT /claims`.
    func claims(_ order: JSON) async throws { _ = try await obey("PUT", "/claims", order) }

    /// Faults, wrong claims, the clock's offset, and what the hostile host was told and has seen.
    func reset() async throws {
        for path in ["/faults", "/claims", "/hostile/answers", "/hostile/requests"] {
            _ = try await obey("DELETE", path, nil)
        }
        _ = try await obey("POST", "/clock", ["offset_seconds": 0])
    }

    /// Sets the stand-ins' time against the real one, in seconds.
    func setClock(offset: Int64) async throws {
        _ = try await obey("POST", "/clock", ["offset_seconds": .integer(offset)])
    }

    /// A new key of Yahoo's; its id.
    func rotateKeys(keepOld: Bool) async throws {
        _ = try await obey("POST", "/yahoo/rotate", ["keep_old": .bool(keepOld)])
    }

    /// The number of the last request that the stand-ins have seen.
    func mark() async throws -> Int64 {
        try await obey("GET", "/requests?since=9000000000", nil)["last"]?.integer ?? 0
    }

    /// How often each endpoint was called since, as `yahoo.token`.
    func calls(since mark: Int64) async throws -> [String: Int] {
        let counts = try await obey("GET", "/requests?since=\(mark)", nil)["counts"]?.object ?? [:]
        return counts.compactMapValues { $0.integer.map { Int($0) } }
    }

    /// The requests since, each with `endpoint`, `method`, `path`, `status`, names of parameters.
    func requests(since mark: Int64) async throws -> [JSON] {
        try await obey("GET", "/requests?since=\(mark)", nil)["requests"]?.array ?? []
    }

    /// What reached the hostile host: `method`, `path`, `query`, `header`, `body` of each request.
    func hostileRequests() async throws -> [JSON] {
        try await obey("GET", "/hostile/requests", nil)["requests"]?.array ?? []
    }

    /// What the hostile host answers at `path`.
    func hostileAnswer(_ path: String, status: Int = 200, header: [String: String] = [:], body: String) async throws {
        _ = try await obey(
            "PUT", "/hostile/answers",
            [
                "path": .string(path), "status": .integer(Int64(status)),
                "header": .object(header.mapValues { .string($0) }), "body": .string(body),
            ])
    }

    /// Client ids and secrets of the applications `ours` and `hostile`.
    func applications() async throws -> JSON { try await obey("GET", "/applications", nil) }

    /// Changes what a stand-in knows of an application, in the words of `PUT /applications`.
    func changeApplication(_ order: JSON) async throws { _ = try await obey("PUT", "/applications", order) }

    /// An order to the panel of Google's stand-in, as `POST /google/id-token`.
    func google(_ method: String, _ path: String, _ order: JSON? = nil) async throws -> JSON {
        try await obey(method, "/google" + path, order)
    }

    private func obey(_ method: String, _ path: String, _ order: JSON?) async throws -> JSON {
        var request = Request(method, path)
        if let order {
            request.fields = [("Content-Type", "application/json")]
            request.body = order.serialized()
        }
        guard let answer = await control.send(request).answer, (200..<300).contains(answer.status) else {
            throw Inconclusive("The stand-ins did not obey \(method) \(path).")
        }
        return answer.json ?? .null
    }
}

extension StandIns {
    /// The person at the browser opens the provider's page and decides; where that sends the browser then.
    ///
    /// - `user`: `alice`, `bjorn`, `kobayashi`, `carol` or `mallory`.
    func decide(at authorizationURL: String, as user: String = "alice", allow: Bool = true) async throws -> String {
        guard let path = authorizationURL.firstIndex(of: "?"),
            let slash = authorizationURL.dropFirst(8).firstIndex(of: "/")
        else { throw Inconclusive("The authorization URL has no query.") }
        let base = String(authorizationURL[..<slash])
        let page = String(authorizationURL[slash..<path])
        let query = PercentEncoding.parameters(authorizationURL[path...].dropFirst())
        var form = query.map { ($0.name, $0.value) }
        form += [("user", user), ("decision", allow ? "allow" : "deny")]
        let wire = Wire(base: base)
        guard let shown = await wire.send(.get(page + authorizationURL[path...])).answer, shown.status == 200 else {
            throw Inconclusive("The provider's page did not open.")
        }
        guard let answer = await wire.send(.form(page + "/decision", form)).answer,
            let location = answer.field("location")
        else { throw Inconclusive("The provider sent the browser nowhere.") }
        return location
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }

    package init(integerLiteral value: Int64) { self = .integer(value) }

    package init(booleanLiteral value: Bool) { self = .bool(value) }

    package init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// The last of two members of one name stands.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
