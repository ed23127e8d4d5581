internal import Foundation
internal import JOSE

/// The encoding base64 of RFC 4648 §4, with padding and without line breaks.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }

    /// Returns `nil` unless the text is what ``encode(_:)`` returns for some bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        // Foundation accepts superfluous padding.
        Data(base64Encoded: text).map(Array.init).flatMap { encode($0).exactlyEquals(text) ? $0 : nil }
    }
}

/// The header field of HTTP Basic authentication.
package enum BasicAuthorization {
    /// Returns the value of the field `Authorization`.
    ///
    /// RFC 6749 §2.3.1: id and secret are percent-encoded before they are joined. This does not change the ids and
    /// secrets of Yahoo and X, which consist of unreserved characters.
    package static func field(clientID: String, clientSecret: Secret) -> String {
        let pair = PercentEncoding.encode(clientID) + ":" + PercentEncoding.encode(clientSecret.secretText)
        return "Basic " + Base64.encode(Array(pair.utf8))
    }
}
