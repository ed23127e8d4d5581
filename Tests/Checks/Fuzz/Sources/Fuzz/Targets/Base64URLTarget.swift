import JOSE
import Standards

/// The encodings of RFC 4648 §4 and §5.
enum Base64URLTarget {
    static func check(_ input: [UInt8]) {
        let encoded = Base64URL.encode(input)
        demand((try? Base64URL.decode(encoded)) == input, "decoding returns the encoded bytes")
        demand(Base64.decode(Base64.encode(input)) == input, "decoding with padding returns the encoded bytes")

        guard let text = String(validating: input, as: UTF8.self) else { return }
        if let bytes = try? Base64URL.decode(text) {
            demand(areSame(Base64URL.encode(bytes), text), "bytes have one spelling in base64url")
        }
        if let bytes = Base64.decode(text) {
            demand(
                text.utf8.count == (bytes.count + 2) / 3 * 4, "base64 with padding has whole groups and nothing else")
        }
    }
}
