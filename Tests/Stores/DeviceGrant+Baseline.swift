import JOSE
import Stores

extension DeviceGrant {
    /// 32 octets, as those of a hash.
    static func digest(_ code: String) -> [UInt8] { SpentRecord.baseline(code).digest }

    /// Good for ten minutes.
    static func baseline(_ userCode: String = "WDJBMJHT") -> DeviceGrant {
        DeviceGrant(
            userCodeDigest: digest(userCode), client: "tv", provider: "yahoo.com", scopes: ["mail-r", "sdct-w"],
            expiresAt: later)
    }
}

extension SpentRecord {
    static let device = SpentRecord.baseline("device", .deviceCode)
}

extension DevicePoll {
    /// Without what was redeemed.
    var name: String {
        switch self {
        case .redeemed(_, let payload): "redeemed " + payload
        case .pending: "pending"
        case .slowDown: "slowDown"
        case .denied: "denied"
        case .expired: "expired"
        case .replayed: "replayed"
        case .unknown: "unknown"
        }
    }
}
