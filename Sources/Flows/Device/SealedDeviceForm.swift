internal import JOSE
internal import Jansson
internal import Standards

/// The hidden field of a device page: the step, the browser and the user code.
///
/// Another site cannot make it, and another browser cannot use it.
struct SealedDeviceForm {
    static let lifetime = Duration.seconds(600)

    let step: Step
    let expiresAt: NumericDate

    enum Step: Equatable {
        case enterCode
        case confirm(UserCode)
        /// The payload is the digest of the stored identity, so that the person approves the identity on the page.
        ///
        /// The names of the provider and of the person are those on the page.
        case approve(UserCode, payload: [UInt8], provider: String, person: String)
    }

    var json: JSON {
        var members: [String: JSON] = ["exp": .integer(expiresAt.seconds)]
        switch step {
        case .enterCode: members["step"] = .string("enter_code")
        case .confirm(let code):
            members["step"] = .string("confirm")
            members["user_code"] = .string(code.text)
        case .approve(let code, let payload, let provider, let person):
            members["step"] = .string("approve")
            members["user_code"] = .string(code.text)
            members["payload"] = .string(Base64URL.encode(payload))
            members["provider"] = .string(provider)
            members["person"] = .string(person)
        }
        return .object(members)
    }
}

extension SealedDeviceForm {
    init?(_ content: JSON) {
        guard let expiry = content["exp"]?.integer else { return nil }
        let code = content["user_code"]?.string.flatMap(UserCode.init(typed:))
        let payload = content["payload"]?.string.flatMap { try? Base64URL.decode($0) }
        switch (content["step"]?.string, code, payload) {
        case ("enter_code", nil, nil): step = .enterCode
        case ("confirm", let code?, nil): step = .confirm(code)
        case ("approve", let code?, let payload?):
            guard let provider = content["provider"]?.string, let person = content["person"]?.string
            else { return nil }
            step = .approve(code, payload: payload, provider: provider, person: person)
        default: return nil
        }
        expiresAt = NumericDate(expiry)
    }
}
