/// A person with a browser at the pages of `/device`, step by step.
struct DeviceVisitor: Sendable {
    let strike: Strike
    let browser = Browser()
    var wire: Wire?

    init(_ strike: Strike, wire: Wire? = nil) {
        self.strike = strike
        self.wire = wire
    }

    /// The page for the code; the hidden field of its form.
    func open() async throws -> String { try await field(of: .get("/device")) }

    /// The page that asks whether it is their device; the hidden field of its form.
    func confirm(_ device: Device) async throws -> String {
        try await field(of: await typing(device.userCode, form: try await open()))
    }

    /// To the provider's door: the authorization URL.
    func leave(_ device: Device, to provider: String = "yahoo.com") async throws -> String {
        let answer = try await answer(to: await choosing(provider, form: try await confirm(device)), status: 303)
        guard let url = answer.field("location") else { throw Inconclusive("No redirect to the provider.") }
        return url
    }

    /// Through the provider to the page for the last word; the hidden field of its form.
    func verify(_ device: Device, as user: String = "alice") async throws -> String {
        let url = try await strike.standIns.decide(at: try await leave(device), as: user)
        return try await field(of: await with(cookies: .get(Strike.target(of: url))))
    }

    /// All of it.
    func approve(_ device: Device, as user: String = "alice") async throws {
        _ = try await answer(to: await deciding("approve", form: try await verify(device, as: user)), status: 200)
    }

    func typing(_ userCode: String, form: String) async -> Request {
        await posting([("flow", form), ("user_code", userCode)])
    }

    func choosing(_ provider: String, form: String) async -> Request {
        await posting([("flow", form), ("provider", provider)])
    }

    /// - `decision`: `approve` or `deny`.
    func deciding(_ decision: String, form: String) async -> Request {
        await posting([("flow", form), ("decision", decision)])
    }

    func posting(_ members: [(String, String)]) async -> Request { await with(cookies: .form("/device", members)) }

    func with(cookies request: Request) async -> Request {
        guard let cookie = await browser.cookie() else { return request }
        return request.with("Cookie", cookie)
    }

    /// A page that must come, and its form.
    func answer(to request: Request, status: Int) async throws -> Answer {
        let answer = try await strike.honest(request, status: status, at: wire)
        await browser.take(answer)
        return answer
    }

    private func field(of request: Request) async throws -> String {
        let request = request.field("cookie") == nil ? await with(cookies: request) : request
        guard let field = try await answer(to: request, status: 200).input("flow") else {
            throw Inconclusive("The page has no form.")
        }
        return field
    }
}
