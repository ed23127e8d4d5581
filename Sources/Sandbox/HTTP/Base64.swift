import FoundationEssentials

/// RFC 4648, to encode with.
enum Base64 {
    /// §4, padded.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }

    /// §5, unpadded.
    static func encodeForURL(_ bytes: some Sequence<UInt8>) -> String {
        encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
