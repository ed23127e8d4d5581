package import Jansson

/// A JWS of ours that waits for its signature (RFC 7515 §5.1).
package struct UnsignedJWS: Sendable {
    /// What is to be signed, ASCII: base64url of the header, a dot, base64url of the payload.
    package let signingInput: String

    /// Takes both as they are to be read; `alg` has to be that of the key that will sign.
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
