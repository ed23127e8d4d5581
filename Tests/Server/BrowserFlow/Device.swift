import Jansson
import Standards
import Transport

/// A device such as a television: it shows a code and polls until the user has entered it.
struct Device: Sendable {
    let server: TestServer
    let client: String
    let deviceCode: String
    let userCode: String

    /// Polls after the interval.
    func poll(
        after seconds: Int = 5, _ changes: [String: String?] = [:]
    ) async throws -> OutboundResponse {
        server.clock.advance(by: .seconds(seconds))
        return try await server.form(
            "/token",
            [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": client,
                "device_code": deviceCode,
            ].changing(changes))
    }
}

extension TestServer {
    func beginDevice(_ client: String = "living-room-tv", _ changes: [String: String?] = [:]) async throws -> Device {
        let response = try await form("/device_authorization", ["client_id": client].changing(changes)).json
        return Device(
            server: self, client: client, deviceCode: response?["device_code"]?.string ?? "",
            userCode: response?["user_code"]?.string ?? "")
    }
}

extension TestBrowser {
    /// Opens the device page and enters the code.
    mutating func enter(_ userCode: String) async throws -> OutboundResponse {
        let field = try await get("/device").hiddenFlow
        return try await post("/device", ["flow": field ?? "", "user_code": userCode])
    }

    /// Runs the device flow up to the page that asks for approval.
    mutating func verify(_ userCode: String, as user: String = "alice") async throws -> OutboundResponse {
        let asked = try await enter(userCode)
        let left = try await post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
        return try await get(try await consent(at: left.location ?? "", as: user))
    }

    /// Submits the decision of the user on a page that asks for it.
    mutating func decide(_ decision: String, on page: OutboundResponse) async throws -> OutboundResponse {
        try await post("/device", ["flow": page.hiddenFlow ?? "", "decision": decision])
    }
}
