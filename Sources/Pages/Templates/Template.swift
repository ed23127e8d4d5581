/// The Mustache templates by name; each one's text stands in a file of its own.
///
/// Values are written in double braces alone, which escape. A partial within a line must not end in a line break.
enum Template {
    static let signIn = "page-sign-in"
    static let link = "page-link"
    static let reauthenticate = "page-reauthenticate"
    static let enterCode = "page-enter-code"
    static let confirmDevice = "page-confirm-device"
    static let approveDevice = "page-approve-device"
    static let deviceApproved = "page-device-approved"
    static let deviceRefused = "page-device-refused"
    static let problem = "page-problem"

    static let all = [
        signIn: signInText, link: linkText, reauthenticate: reauthenticateText, enterCode: enterCodeText,
        confirmDevice: confirmDeviceText, approveDevice: approveDeviceText, deviceApproved: deviceApprovedText,
        deviceRefused: deviceRefusedText, problem: problemText,
        "layout": layoutText, "style": PageStyle.text, "providers": providersText,
    ].merging(names, uniquingKeysWith: { $1 }).merging(icons, uniquingKeysWith: { $1 })
}
