package import Jansson

/// The stand-ins of `token-exchange-lab sandbox`, which are controlled by their control listener.
struct StandIns: Sendable {
    struct Addresses: Sendable {
        let yahoo: String
        let x: String
        let providers: String
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

    /// Returns tokens and a code, as if `user` had allowed `application` (`ours` or `hostile`).
    ///
    /// The members are `id_token`, `access_token` and `code`, or `oauth_token` and `oauth_token_secret`.
    func issue(_ order: JSON) async throws -> JSON { try await obey("POST", "/issue", order) }

    /// Returns a compact JWS of exactly these bytes.
    ///
    /// - Parameter key: `own` (ES256), `rsa` (RS256), `foreign` (ES256 with a key that is in no set), `hs256`,
    ///   `malleated` or `none`.
    /// - Throws: ``Inconclusive`` if the stand-ins refuse.
    func sign(header: [UInt8], payload: [UInt8], key: String) async throws -> String {
        let answer = try await obey(
            "POST", "/yahoo/sign",
            [
                "header_base64url": .string(Base64.urlEncode(header)),
                "payload_base64url": .string(Base64.urlEncode(payload)), "key": .string(key),
            ])
        guard let token = answer["token"]?.string else { throw Inconclusive("The stand-in signed no token.") }
        return token
    }

    /// Returns `own_kid`, `rsa_kid`, `issuer`, `own_pem` and `rsa_pem` of Yahoo's stand-in.
    func keys() async throws -> JSON { try await obey("GET", "/yahoo/keys", nil) }

    /// Places a fault, by `PUT /faults` of the control listener.
    func fault(_ order: JSON) async throws { _ = try await obey("PUT", "/faults", order) }

    /// Changes the next ID tokens of Yahoo's stand-in, by `PUT /claims`.
    func claims(_ order: JSON) async throws { _ = try await obey("PUT", "/claims", order) }

    /// Removes faults, changed claims and the offset of the clock, and resets the hostile host.
    func reset() async throws {
        for path in ["/faults", "/claims", "/hostile/answers", "/hostile/requests"] {
            _ = try await obey("DELETE", path, nil)
        }
        _ = try await obey("POST", "/clock", ["offset_seconds": 0])
    }

    /// Sets the difference between the clock of the stand-ins and the real time, in seconds.
    func setClock(offset: Int64) async throws {
        _ = try await obey("POST", "/clock", ["offset_seconds": .integer(offset)])
    }

    /// Returns the number of the last request to the stand-ins.
    func mark() async throws -> Int64 {
        try await obey("GET", "/requests?since=9000000000", nil)["last"]?.integer ?? 0
    }

    /// Returns the number of calls of each endpoint after a mark, by names such as `yahoo.token`.
    func calls(since mark: Int64) async throws -> [String: Int] {
        let counts = try await obey("GET", "/requests?since=\(mark)", nil)["counts"]?.object ?? [:]
        return counts.compactMapValues { $0.integer.map { Int($0) } }
    }

    /// Returns the requests after a mark, each with `endpoint`, `method`, `path`, `status` and the names of parameters.
    func requests(since mark: Int64) async throws -> [JSON] {
        try await obey("GET", "/requests?since=\(mark)", nil)["requests"]?.array ?? []
    }

    /// Returns the requests to the hostile host, each with `method`, `path`, `query`, `header` and `body`.
    func hostileRequests() async throws -> [JSON] {
        try await obey("GET", "/hostile/requests", nil)["requests"]?.array ?? []
    }

    /// Sets the body of the hostile host's response at `path`, whose status is 200.
    func hostileAnswer(_ path: String, body: String) async throws {
        _ = try await obey("PUT", "/hostile/answers", ["path": .string(path), "body": .string(body)])
    }

    /// Returns the client ids and secrets of the applications `ours` and `hostile`.
    func applications() async throws -> JSON { try await obey("GET", "/applications", nil) }

    /// Changes the registration of an application at a stand-in, by `PUT /applications`.
    func changeApplication(_ order: JSON) async throws { _ = try await obey("PUT", "/applications", order) }

    /// Sends a command to Google's stand-in, such as `POST /google/id-token`.
    func google(_ method: String, _ path: String, _ order: JSON? = nil) async throws -> JSON {
        try await obey(method, "/google" + path, order)
    }

    func firebaseUsers() async throws -> [JSON] {
        guard let users = try await google("GET", "/users").array else {
            throw Inconclusive("Google's stand-in listed no users.")
        }
        return users
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
    /// Opens the provider's page as a user, and decides there.
    ///
    /// - Parameter user: `alice`, `bjorn`, `kobayashi`, `carol` or `mallory`.
    /// - Returns: The URL to which the provider redirects the browser.
    /// - Throws: ``Inconclusive`` if the stand-in refuses.
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
        else { throw Inconclusive("The provider did not redirect the browser.") }
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

    /// Keeps the last of two members with the same name.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
