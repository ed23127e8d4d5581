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
