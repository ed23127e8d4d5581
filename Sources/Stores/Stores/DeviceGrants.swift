package import JOSE
package import Standards

/// Stores device grants (RFC 8628).
///
/// Each step is one conditional statement and returns whether it changed the grant. If concurrent steps exclude each
/// other, only one of the callers receives `true`.
package protocol DeviceGrants: Sendable {
    /// Keeps a grant.
    ///
    /// `record` is the record of the device code. A poll finds the grant by it, and spends it when the grant is redeemed
    /// or its denial is reported.
    ///
    /// - Returns: `false` if another grant has this user code or this device code.
    func keep(_ grant: DeviceGrant, as record: SpentRecord) async throws(StoreError) -> Bool

    /// Finds the grant of a user code, unless the grant has expired or a poll has removed it.
    func deviceGrant(
        userCodeDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> (grant: DeviceGrant, state: DeviceGrantState)?

    /// Makes a browser the owner of the grant. If it already is the owner, the sign-in starts again.
    ///
    /// `owner` is the SHA-256 of a secret that only this browser has, 32 octets.
    func claim(userCodeDigest: [UInt8], owner: [UInt8], at now: NumericDate) async throws(StoreError) -> Bool

    /// Keeps the result of the owner's sign-in at the provider.
    func verify(
        userCodeDigest: [UInt8], owner: [UInt8], payload: String, payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool

    /// Approves the grant for its owner, if `payloadDigest` is that of the payload which
    /// ``verify(userCodeDigest:owner:payload:payloadDigest:at:)`` kept.
    func approve(
        userCodeDigest: [UInt8], owner: [UInt8], payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool

    /// Denies the grant before its approval. If a browser owns the grant, only that browser can deny it.
    func deny(
        userCodeDigest: [UInt8], owner: [UInt8], because denial: DeviceDenial, at now: NumericDate
    ) async throws(StoreError) -> Bool

    /// Answers a poll of the device.
    ///
    /// If the grant is approved or denied, it is removed and its code is spent in one durable commit.
    func poll(_ record: SpentRecord, client: ClientID, at now: NumericDate) async throws(StoreError) -> DevicePoll

    /// Undoes a redemption before anything was sent to the client.
    ///
    /// Call it only after ``DevicePoll/redeemed(_:payload:)`` for this grant, and only once.
    func giveBack(_ grant: DeviceGrant, as record: SpentRecord, payload: String) async throws(StoreError)

    /// Deletes rows that have expired.
    ///
    /// - Returns: The number of deleted rows; fewer than `limit` if no more are left.
    func sweepDeviceGrants(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// A device that waits for a user to sign it in (RFC 8628).
package struct DeviceGrant: Sendable {
    /// SHA-256 of the user code, 32 octets.
    package let userCodeDigest: [UInt8]
    package let client: ClientID
    /// The provider that the client asked for; `nil` if the user chooses.
    package let provider: ProviderID?
    package let scopes: [String]
    package let expiresAt: NumericDate

    package init(
        userCodeDigest: [UInt8], client: ClientID, provider: ProviderID?, scopes: [String], expiresAt: NumericDate
    ) {
        self.userCodeDigest = userCodeDigest
        self.client = client
        self.provider = provider
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

/// The state of a grant, in the order of its progress.
///
/// A grant can be denied in every state before approval.
package enum DeviceGrantState: String, Sendable, CaseIterable {
    /// No browser has confirmed the user code.
    case pending
    /// A browser has confirmed the user code and owns the grant.
    case claimed
    /// The user has signed in at the provider.
    case verified
    case approved
    case denied
}

/// Why a grant is denied.
package enum DeviceDenial: Sendable, Equatable {
    /// The user refused the request.
    case refused
    /// The address of the user's identity belongs to another account, to which the user did not sign in.
    case accountExists
    /// The client does not admit the address of the user's identity.
    case emailDomainNotAllowed
    /// The operator's hook refused, with a text for the user if it sent one.
    case blocked(message: String?)

    private static let accountExistsText = "account_exists"
    private static let emailDomainText = "email_domain_not_allowed"
    private static let blockedText = "blocked_by_hook"

    /// The value in the column `payload`, which a denied grant does not need for an identity.
    package var text: String? {
        switch self {
        case .refused: nil
        case .accountExists: Self.accountExistsText
        case .emailDomainNotAllowed: Self.emailDomainText
        case .blocked(nil): Self.blockedText
        case .blocked(let message?): Self.blockedText + ":" + message
        }
    }

    /// Reads ``text``.
    package init(text: String?) {
        switch text {
        case Self.accountExistsText?: self = .accountExists
        case Self.emailDomainText?: self = .emailDomainNotAllowed
        case Self.blockedText?: self = .blocked(message: nil)
        case let text? where text.utf8.starts(with: (Self.blockedText + ":").utf8):
            let message = text.utf8.dropFirst(Self.blockedText.utf8.count + 1)
            self = .blocked(message: String(decoding: message, as: UTF8.self))
        default: self = .refused
        }
    }
}

/// The answer to a poll (RFC 8628 §3.5).
package enum DevicePoll: Sendable {
    case redeemed(DeviceGrant, payload: String)
    case pending
    /// The device polled before its interval was over. The interval is now 5 seconds longer, but at most 60
    /// seconds.
    case slowDown
    /// The request was denied. This answer is given once and spends the code.
    case denied(DeviceDenial)
    case expired
    case replayed
    /// The code was never kept, was swept, or belongs to another client.
    case unknown
}

/// The polling intervals of devices, in seconds.
package enum DevicePollInterval {
    /// The default interval of a device that received none (RFC 8628 §3.5).
    package static let initial: Int64 = 5
    /// The increment after each poll that came too early (RFC 8628 §3.5).
    package static let step: Int64 = 5
    /// The maximum interval, which further early polls do not increase.
    package static let longest: Int64 = 60

    /// Decides whether a device polled too fast, and after which interval it may poll again (RFC 8628 §3.5).
    ///
    /// - Parameter last: The time of its last poll that was counted; `nil` for the first one.
    /// - Returns: The answer and the next interval; `nil` for ``DevicePoll/slowDown`` at the longest interval, after which
    ///   nothing changes, so that a device that polls too often causes no commits.
    package static func counting(
        _ interval: Int64, since last: NumericDate?, at now: NumericDate
    ) -> (answer: DevicePoll, interval: Int64)? {
        guard let last, now.seconds - last.seconds < interval else { return (.pending, interval) }
        return interval == longest ? nil : (.slowDown, min(interval + step, longest))
    }
}
