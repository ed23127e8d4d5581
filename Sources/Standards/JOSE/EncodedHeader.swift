package import Jansson

/// The header that every JWS of one key has, encoded once for all of them.
package struct EncodedHeader: Sendable {
    let text: String

    package init(_ header: JSON) {
        text = Base64URL.encode(header.serialized())
    }
}
