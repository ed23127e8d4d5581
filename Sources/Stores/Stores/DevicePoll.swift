/// What a device is told (RFC 8628 §3.5).
package enum DevicePoll: Sendable {
    case redeemed(DeviceGrant, payload: String)
    case pending
    /// It asked before the interval was over; its interval is five seconds longer from now on.
    case slowDown
    /// Said once; the code is spent by it.
    case denied
    case expired
    case replayed
    /// Never kept, swept, or another client's.
    case unknown
}
