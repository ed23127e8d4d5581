package import Jansson

/// A JWS of this server that has no signature yet (RFC 7515 §5.1).
package struct UnsignedJWS: Sendable {
    /// The ASCII text to be signed: base64url of the header, a dot, base64url of the payload.
    package let signingInput: String

    /// Encodes header and payload.
    ///
    /// The header's `alg` must be that of the key that will sign; it is not checked.
    package init(header: JSON, payload: JSON) {
        self.init(header: EncodedHeader(header), payload: payload)
    }

    package init(header: EncodedHeader, payload: JSON) {
        signingInput = header.text + "." + Base64URL.encode(payload.serialized())
    }

    package func compact(signature: [UInt8]) -> String {
        signingInput + "." + Base64URL.encode(signature)
    }
}

/// The header of every JWS that one key signs, encoded once.
package struct EncodedHeader: Sendable {
    let text: String

    package init(_ header: JSON) {
        text = Base64URL.encode(header.serialized())
    }
}
