import JOSE
import Stores

let now = NumericDate(1_700_000_000)
let later = now + .seconds(600)

extension SpentRecord {
    /// Good for ten minutes.
    static func baseline(_ text: String, _ kind: SpentKind = .authorizationCode) -> SpentRecord {
        SpentRecord(kind, of: [Array(text.utf8)], expiresAt: later)
    }
}

extension ExternalIdentity {
    static let baseline = ExternalIdentity(provider: "yahoo.com", subject: "SUBJECT")
}
