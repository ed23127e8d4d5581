internal import Jansson

/// The device's part of RFC 8628.
extension AttackContext {
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// Sends `POST /device_authorization`.
    func device(
        clientID: String? = nil, further: [(String, String)] = [], wire: Wire? = nil
    ) async throws -> Device {
        let clientID = clientID ?? lab.application.clientID
        let answer = try await honest(.form("/device_authorization", [("client_id", clientID)] + further), at: wire)
        guard let code = answer["device_code"], let userCode = answer["user_code"] else {
            throw Inconclusive("The server issued no device code.")
        }
        await secret(code)
        return Device(
            clientID: clientID, code: code, userCode: userCode,
            lifetime: answer.json?["expires_in"]?.integer ?? .max)
    }

    func poll(_ device: Device, clientID: String? = nil) -> Request {
        .form(
            "/token",
            [
                ("grant_type", Self.deviceGrant), ("device_code", device.code),
                ("client_id", clientID ?? device.clientID),
            ])
    }

    /// Polls immediately, faster than allowed, for a device that no user has signed in yet.
    func expectWaiting(_ device: Device, at wire: Wire? = nil) async {
        await fire(poll(device), expecting: .waiting, at: wire)
    }

    /// Polls with success and returns the uid that the device is signed in as.
    @discardableResult func collect(_ device: Device) async throws -> String {
        let answer = try await honest(poll(device))
        await secret(answer["access_token"])
        return answer["uid"] ?? ""
    }
}

extension Expectation {
    /// RFC 8628 §3.5: the user has not finished, or the poll came too soon.
    static let waiting = Expectation(
        statuses: [400], errors: ["authorization_pending", "slow_down"],
        reasons: ["authorization_pending", "slow_down"])

    /// RFC 8628 §3.5: the user refused.
    static let deniedDevice = Expectation.refused("access_denied", error: "access_denied")

    static let expiredDevice = Expectation.refused("expired_token", error: "expired_token")
}

/// A device that waits until a user signs it in.
struct Device: Sendable {
    let clientID: String
    let code: String
    /// The user code as the device shows it, such as `WDJB-MJHT`.
    let userCode: String
    let lifetime: Int64
}

/// A user with a browser who goes through the pages of `/device` step by step.
struct DeviceVisitor: Sendable {
    let context: AttackContext
    let browser = Browser()
    var wire: Wire?

    init(_ context: AttackContext, wire: Wire? = nil) {
        self.context = context
        self.wire = wire
    }

    /// Opens the page for the user code and returns the hidden field of its form.
    func open() async throws -> String { try await field(of: .get("/device")) }

    /// Posts the user code and returns the hidden field of the form that asks for confirmation.
    func confirm(_ device: Device) async throws -> String {
        try await field(of: await typing(device.userCode, form: try await open()))
    }

    /// Confirms the device and returns the authorization URL of the provider.
    func leave(_ device: Device) async throws -> String {
        let answer = try await answer(to: await choosing("yahoo.com", form: try await confirm(device)), status: 303)
        guard let url = answer.field("location") else { throw Inconclusive("No redirect to the provider.") }
        return url
    }

    /// Signs in at the provider and returns the hidden field of the form that asks for approval.
    func verify(_ device: Device, as user: String = "alice") async throws -> String {
        let url = try await context.standIns.decide(at: try await leave(device), as: user)
        return try await field(of: await browser.sending(.get(AttackContext.target(of: url))))
    }

    /// Goes through all steps.
    func approve(_ device: Device, as user: String = "alice") async throws {
        _ = try await answer(to: await deciding("approve", form: try await verify(device, as: user)), status: 200)
    }

    func typing(_ userCode: String, form: String) async -> Request {
        await posting([("flow", form), ("user_code", userCode)])
    }

    func choosing(_ provider: String, form: String) async -> Request {
        await posting([("flow", form), ("provider", provider)])
    }

    /// Returns the form that posts the decision, `approve` or `deny`.
    func deciding(_ decision: String, form: String) async -> Request {
        await posting([("flow", form), ("decision", decision)])
    }

    func posting(_ members: [(String, String)]) async -> Request { await browser.sending(.form("/device", members)) }

    /// Sends a request that must get this status, and keeps the cookies of the response.
    func answer(to request: Request, status: Int) async throws -> Answer {
        let answer = try await context.honest(request, status: status, at: wire)
        await browser.take(answer)
        return answer
    }

    private func field(of request: Request) async throws -> String {
        let request = request.field("cookie") == nil ? await browser.sending(request) : request
        guard let field = try await answer(to: request, status: 200).input("flow") else {
            throw Inconclusive("The page has no form.")
        }
        return field
    }
}
