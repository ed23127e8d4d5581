/// Why a device is not signed in (RFC 8628 §3.5), or its user code leads no further.
package enum DeviceError: Error, Equatable, Sendable {
    case authorizationPending
    case slowDown
    case denied
    case expired
    case replayed
    case unknown
    /// The user code is no grant's, or its grant has expired or is over.
    case unknownUserCode
    /// Another browser has confirmed it first.
    case takenUserCode
    /// The form is not one of this server for this browser and this step.
    case unknownForm
    case formExpired
    /// The person answered the form before.
    case formReplayed
}
