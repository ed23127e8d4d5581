internal import Jansson

/// The device's side of RFC 8628.
extension Strike {
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// `POST /device_authorization`.
    func device(
        clientID: String? = nil, further: [(String, String)] = [], wire: Wire? = nil
    ) async throws -> Device {
        let clientID = clientID ?? lab.application.clientID
        let answer = try await honest(.form("/device_authorization", [("client_id", clientID)] + further), at: wire)
        guard let code = answer["device_code"], let userCode = answer["user_code"] else {
            throw Inconclusive("There is no device code.")
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

    /// Polls at once, and faster than allowed, for a device that no person has signed in yet.
    func expectWaiting(_ device: Device, at wire: Wire? = nil) async {
        await fire(poll(device), expecting: .waiting, at: wire)
    }

    /// Polls with success; whom the device is signed in as.
    @discardableResult func collect(_ device: Device, at wire: Wire? = nil) async throws -> String {
        let answer = try await honest(poll(device), at: wire)
        await secret(answer["access_token"])
        return answer["uid"] ?? ""
    }
}

extension Expectation {
    /// RFC 8628 §3.5: the person has not finished, or the poll came too soon.
    static let waiting = Expectation(
        statuses: [400], errors: ["authorization_pending", "slow_down"],
        reasons: ["authorization_pending", "slow_down"])

    /// RFC 8628 §3.5: the person refused.
    static let deniedDevice = Expectation(
        statuses: [400], errors: ["access_denied"], reasons: ["access_denied"])

    static let expiredDevice = Expectation(
        statuses: [400], errors: ["expired_token"], reasons: ["expired_token"])
}
