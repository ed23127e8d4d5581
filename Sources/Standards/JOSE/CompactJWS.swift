/// A JWS in compact serialization (RFC 7515 §7.1), taken apart and not believed yet.
package struct CompactJWS: Sendable {
    package static let maximumBytes = 16 * 1024

    package let header: JWSHeader
    /// Anything, nothing too: only a signature that holds makes it worth reading.
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// Header and payload as they were sent, with the dot between them.
    ///
    /// This is what identifies a token. The signature does not: anyone can turn a valid one of ES256 into a second one
    /// that is valid too.
    package let signingInput: [UInt8]

    /// Takes the text apart: base64url of header, payload and signature, with dots between.
    ///
    /// - Throws: ``JOSEError/tooLarge(maximumBytes:)`` before anything is read, ``JOSEError/malformedBase64URL``,
    ///   ``JOSEError/malformedToken(_:)``, ``JOSEError/criticalHeader``.
    package static func parse(_ text: String) throws(JOSEError) -> CompactJWS {
        let parts = try Parts(text)
        guard !parts.signature.isEmpty else { throw .malformedToken(.segments) }
        return CompactJWS(
            header: try JWSHeader(try Base64URL.decode(parts.header)),
            payload: try Base64URL.decode(parts.payload),
            signature: try Base64URL.decode(parts.signature),
            signingInput: parts.signingInput)
    }

    /// The three parts as they were sent, of which the first is not empty.
    struct Parts {
        let header: ArraySlice<UInt8>
        let payload: ArraySlice<UInt8>
        let signature: ArraySlice<UInt8>
        let signingInput: [UInt8]

        init(_ text: String) throws(JOSEError) {
            let text = text.utf8
            guard text.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
            let octets = Array(text)
            let dot = UInt8(ascii: ".")
            // Counted before anything is split: five parts are a JWE, and ten thousand an attack.
            guard octets.count(where: { $0 == dot }) == 2,
                let first = octets.firstIndex(of: dot), let second = octets.lastIndex(of: dot), first > 0
            else { throw .malformedToken(.segments) }
            header = octets[..<first]
            payload = octets[(first + 1)..<second]
            signature = octets[(second + 1)...]
            signingInput = Array(octets[..<second])
        }
    }
}
