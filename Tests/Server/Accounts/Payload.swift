import JOSE
import Jansson

/// What a token says, whoever signed it.
enum Payload {
    static func of(_ token: String?) -> JSON? {
        let parts = (token ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = try? Base64URL.decode(String(parts[1])) else { return nil }
        return try? JSON.parse(bytes)
    }
}
