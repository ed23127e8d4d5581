/// A device that waits until a person signs it in.
struct Device: Sendable {
    let clientID: String
    let code: String
    /// As it is shown, `WDJB-MJHT`.
    let userCode: String
    let lifetime: Int64
}
