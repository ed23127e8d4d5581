import FoundationEssentials

/// User name and password of an `Authorization: Basic` field (RFC 7617 §2).
struct BasicCredentials: Sendable, Equatable {
    let username: String
    let password: String

    /// Nil for another scheme, and for base64 that is wrapped, spaced, unpadded or otherwise not what RFC 4648 §4 makes.
    init?(field: String) {
        let scheme = "basic "
        guard field.lowercased().hasPrefix(scheme) else { return nil }
        let encoded = field.dropFirst(scheme.count)
        guard let decoded = Data(base64Encoded: String(encoded)), decoded.base64EncodedString() == encoded,
            let text = String(validating: decoded, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        username = String(text[..<colon])
        password = String(text[text.index(after: colon)...])
    }
}
