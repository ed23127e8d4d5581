import FoundationEssentials

/// RFC 4648 §4, padded, to encode with.
enum Base64 {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }
}
