internal import Flows
internal import Jansson
internal import OAuth

/// `POST /device_authorization` (RFC 8628 §3.1).
enum DeviceAuthorizationRoute {
    /// RFC 8628 §3.2.
    static func json(_ begun: DeviceAuthorization, issuer: String) -> JSON {
        let userCode = begun.userCode.description
        return .object([
            "device_code": .string(begun.deviceCode.secretText),
            "user_code": .string(userCode),
            "verification_uri": .string(issuer + Endpoint.device.rawValue),
            "verification_uri_complete": .string(issuer + Endpoint.device.rawValue + "?user_code=" + userCode),
            "expires_in": .integer(begun.expiresIn),
            "interval": .integer(begun.interval),
        ])
    }
}
