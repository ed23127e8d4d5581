package import JOSE

/// Devices that wait to be signed in.
///
/// Each step is one conditional statement: of any number of callers one wins, and whoever is told `true` has changed the
/// state.
package protocol DeviceGrants: Sendable {
    /// - `record`: of the device code, by which the device finds the grant, and which is spent when it ends.
    /// - Returns: false where another device has this user code.
    func keep(_ grant: DeviceGrant, as record: SpentRecord) async throws(StoreError) -> Bool

    /// The grant of a user code, unless it has expired, or was redeemed.
    func deviceGrant(
        userCodeDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> (grant: DeviceGrant, state: DeviceGrantState)?

    /// Makes a browser the owner; for the owner itself it stays so, and the sign-in begins anew.
    ///
    /// - `owner`: a hash of something that only this browser has, 32 octets.
    func claim(userCodeDigest: [UInt8], owner: [UInt8], at now: NumericDate) async throws(StoreError) -> Bool

    /// Keeps what the owner's sign-in at the provider gave.
    func verify(
        userCodeDigest: [UInt8], owner: [UInt8], payload: String, payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool

    /// The owner's last word, about the very payload that ``verify(userCodeDigest:owner:payload:payloadDigest:at:)`` kept
    /// under this digest.
    func approve(
        userCodeDigest: [UInt8], owner: [UInt8], payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool

    /// The owner's refusal, at any time before the approval.
    func deny(userCodeDigest: [UInt8], owner: [UInt8], at now: NumericDate) async throws(StoreError) -> Bool

    /// The device asks; an approved grant is taken out and its code spent, in one durable commit.
    func poll(_ record: SpentRecord, client: String, at now: NumericDate) async throws(StoreError) -> DevicePoll

    /// Undoes a redemption before anything was handed out.
    ///
    /// Only for who was told ``DevicePoll/redeemed(_:payload:)`` for it, and once.
    func giveBack(_ grant: DeviceGrant, as record: SpentRecord, payload: String) async throws(StoreError)

    /// Forgets some of those that have expired.
    ///
    /// - Returns: how many it were; fewer than `limit` when there are no more.
    func sweepDeviceGrants(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// A device that waits for somebody to sign it in (RFC 8628).
package struct DeviceGrant: Sendable {
    /// SHA-256 of the user code, 32 octets.
    package let userCodeDigest: [UInt8]
    package let client: String
    /// Nil: the person chooses.
    package let provider: String?
    package let scopes: [String]
    package let expiresAt: NumericDate

    package init(
        userCodeDigest: [UInt8], client: String, provider: String?, scopes: [String], expiresAt: NumericDate
    ) {
        self.userCodeDigest = userCodeDigest
        self.client = client
        self.provider = provider
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

/// How far a grant has come, in this order; a refusal may come at any time before the approval.
package enum DeviceGrantState: String, Sendable, CaseIterable {
    /// Nobody has confirmed the user code.
    case pending
    /// A browser has, and owns it from now on.
    case claimed
    /// The person has signed in at the provider.
    case verified
    case approved
    case denied
}

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

/// How often a device may ask, in seconds.
package enum DevicePollInterval {
    /// RFC 8628 §3.5: what a device that was told nothing assumes.
    package static let initial: Int64 = 5
    /// RFC 8628 §3.5: added for this and all requests after it.
    package static let step: Int64 = 5
    package static let longest: Int64 = 60
}
