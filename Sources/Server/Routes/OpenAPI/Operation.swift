/// The operations of the public listener, by the `operationId` that they have in the description.
enum Operation: String, CaseIterable {
    case exchange
    case signIn = "signin"
    case nonce
    case anonymous
    case account
    case deleteAccount = "delete_account"
    case link
    case unlink
    case reauthenticate
    case merge
    case signOut = "signout"
    case token
    case pushedRequest = "par"
    case deviceAuthorization = "device_authorization"
    case metadata
    case openAPI = "openapi"
    case authorize
    case choose
    case callback
    case device
    case answerDevice = "answer_device"

    /// `true` if a refusal is a page or a redirect, and not JSON.
    var answersPages: Bool {
        switch self {
        case .authorize, .choose, .callback, .device, .answerDevice: true
        default: false
        }
    }

    /// The status that this operation answers with for a reason.
    func status(of reason: Reason) -> Int {
        if self == .token, [403, 409].contains(reason.status) { return 400 }
        if answersPages, [401, 403, 409].contains(reason.status) { return 400 }
        return reason.status
    }

    /// The values of `error` that this operation has for a reason.
    ///
    /// At `/token` a bad subject token is `invalid_request` (RFC 8693 §2.2.2), a bad code `invalid_grant`.
    func errors(of reason: Reason) -> [String] {
        self == .token && reason.error == "invalid_grant" ? ["invalid_grant", "invalid_request"] : [reason.error]
    }
}
