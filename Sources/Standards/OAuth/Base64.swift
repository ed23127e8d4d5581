internal import Foundation
internal import Octets

/// RFC 4648 §4: with padding, without line breaks.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }

    /// Nil for anything but whole, padded groups of the standard alphabet.
    package static func decode(_ text: String) -> [UInt8]? {
        // Foundation passes over padding that is too much.
        Data(base64Encoded: text).map(Array.init).flatMap { encode($0).exactlyEquals(text) ? $0 : nil }
    }
}
