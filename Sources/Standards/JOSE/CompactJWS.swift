package import Jansson

/// A JWS in compact serialization (RFC 7515 §7.1) that was parsed, and is not verified yet.
package struct CompactJWS: Sendable {
    /// The maximum length of a token that a client sends.
    package static let maximumBytes = 16 * 1024
    /// The maximum length of a token that an issuer sends directly: some list all groups of a person.
    package static let maximumDirectBytes = 64 * 1024

    package let header: JWSHeader
    /// The decoded payload, which may be empty or any octets.
    ///
    /// It is not trustworthy before the signature is verified.
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// Header and payload as they were sent, with the dot between them (RFC 7515 §5.1).
    ///
    /// A replay check must identify a token by this value, and not by its signature: from a valid ES256 signature (r, s)
    /// any client can compute a second one, (r, n − s).
    package let signingInput: [UInt8]

    /// Parses the base64url of header, payload and signature, which are separated by dots.
    ///
    /// - Parameter text: The token. Its length is checked before anything is parsed.
    /// - Returns: The three parts; nothing is verified.
    /// - Throws: ``JOSEError/tooLarge(maximumBytes:)``, ``JOSEError/malformedBase64URL``, ``JOSEError/encrypted``,
    ///   ``JOSEError/malformedToken(_:)``, ``JOSEError/criticalHeader``.
    package static func parse(
        _ text: String, maximumBytes: Int = Self.maximumBytes
    ) throws(JOSEError) -> CompactJWS {
        let parts = try Parts(text, maximumBytes: maximumBytes)
        guard !parts.signature.isEmpty else { throw .malformedToken(.segments) }
        return CompactJWS(
            header: try JWSHeader(try Base64URL.decode(parts.header)),
            payload: try Base64URL.decode(parts.payload),
            signature: try Base64URL.decode(parts.signature),
            signingInput: parts.signingInput)
    }

    /// The three parts as they were sent.
    ///
    /// Only the first is known not to be empty.
    struct Parts {
        let header: ArraySlice<UInt8>
        let payload: ArraySlice<UInt8>
        let signature: ArraySlice<UInt8>
        let signingInput: [UInt8]

        init(_ text: String, maximumBytes: Int) throws(JOSEError) {
            let text = text.utf8
            guard text.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
            let octets = Array(text)
            let dot = UInt8(ascii: ".")
            // The dots are counted before the text is split: a token with 10,000 dots would cost 10,000 slices.
            let dots = octets.count(where: { $0 == dot })
            guard dots == 2,
                let first = octets.firstIndex(of: dot), let second = octets.lastIndex(of: dot), first > 0
            else {
                throw dots == 4 && Self.isEncrypted(octets.prefix { $0 != dot })
                    ? .encrypted : .malformedToken(.segments)
            }
            header = octets[..<first]
            payload = octets[(first + 1)..<second]
            signature = octets[(second + 1)...]
            signingInput = Array(octets[..<second])
        }

        /// Whether the header of a token with five parts is that of a JWE (RFC 7516 §4.1.2).
        private static func isEncrypted(_ header: ArraySlice<UInt8>) -> Bool {
            guard let bytes = try? Base64URL.decode(header),
                let members = try? JSON.parse(bytes, maximumBytes: CompactJWS.maximumBytes, maximumDepth: 8)
            else { return false }
            return members["enc"]?.string != nil
        }
    }
}

/// The protected header of a JWS (RFC 7515 §4.1), which its sender chose.
///
///     {"alg": "ES256", "kid": "3466d51f", "typ": "JWT"}
///
/// `jwk`, `jku`, `x5u`, `x5c` and `x5t` are ignored, so that no token can bring its own key.
package struct JWSHeader: Sendable {
    /// The value of `alg` as it was sent.
    ///
    /// ``JWSVerifier`` compares it with the algorithms that it allows.
    package let algorithm: String
    package let keyID: KeyID?
    package let type: String?
    /// Whether the header has `zip`, which is ignored as every unknown member, and explains a payload that cannot be read.
    let namesCompression: Bool

    init(_ bytes: [UInt8]) throws(JOSEError) {
        let members: JSON
        do {
            members = try JSON.parse(bytes, maximumBytes: CompactJWS.maximumBytes, maximumDepth: 8)
        } catch {
            throw .malformedToken(.header)
        }
        guard members.object != nil else { throw .malformedToken(.header) }
        // RFC 7515 §4.1.11: "If any of the listed extension Header Parameters are not understood and supported by the
        // recipient, then the JWS is invalid." No extension is supported here. RFC 7797 §6: `b64` must be listed.
        guard members["crit"] == nil, members["b64"] == nil else { throw .criticalHeader }
        guard let algorithm = members["alg"]?.string else { throw .malformedToken(.algorithm) }
        self.algorithm = algorithm
        keyID = try Self.keyID(members["kid"])
        type = try Self.type(members["typ"])
        namesCompression = members["zip"] != nil
    }

    private static func keyID(_ member: JSON?) throws(JOSEError) -> KeyID? {
        guard let member, member != .null, member != .string("") else { return nil }
        guard let keyID = member.string.flatMap(KeyID.init) else { throw .malformedToken(.keyID) }
        return keyID
    }

    private static func type(_ member: JSON?) throws(JOSEError) -> String? {
        guard let member, member != .null else { return nil }
        guard let type = member.string else { throw .malformedToken(.type) }
        return type
    }

    /// Checks that `typ` is absent, `JWT` (RFC 7519 §5.1) or that of the expected kind, in any letter case.
    ///
    /// RFC 8725 §3.11 and §3.12: an issuer distinguishes the kinds of JWT that it signs by `typ`. RFC 7515 §4.1.9: a value
    /// without a slash is treated as if `application/` stood before it.
    func checkType(_ expected: TokenType) throws(JOSEError) {
        guard let type = type?.lowercased() else { return }
        let mediaType = type.contains("/") ? type : "application/" + type
        guard ["jwt", expected.rawValue].contains(where: { mediaType.exactlyEquals("application/" + $0) })
        else { throw .typeNotAllowed }
    }
}

/// The id of a key in a set (RFC 7515 §4.1.4): 1 to 256 octets, which the peer chooses.
///
/// Code may only compare it. It must not become part of a path, a query or a message in the log.
package struct KeyID: OctetIdentifier {
    package let text: String

    /// Returns `nil` for an empty text, for more than 256 octets, and for a control character.
    package init?(_ text: String) {
        guard (1...256).contains(text.utf8.count), !text.hasControlCharacter else { return nil }
        self.text = text
    }
}

extension String {
    /// Whether a character is in Unicode's general category Cc, whose 65 characters never change.
    package var hasControlCharacter: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    var isBlank: Bool {
        unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}

/// The signing input of a JWS that this server makes (RFC 7515 §2).
package struct JWSSigningInput: Sendable {
    /// The ASCII text to be signed: base64url of the header, a dot, base64url of the payload.
    package let text: String

    /// Encodes header and payload.
    ///
    /// The header's `alg` must be that of the key that will sign; it is not checked.
    package init(header: JSON, payload: JSON) {
        self.init(header: EncodedHeader(header), payload: payload)
    }

    package init(header: EncodedHeader, payload: JSON) {
        text = header.text + "." + Base64URL.encode(payload.serialized())
    }

    package func compact(signature: [UInt8]) -> String {
        text + "." + Base64URL.encode(signature)
    }
}

/// The header of every JWS that one key signs, encoded once.
package struct EncodedHeader: Sendable {
    let text: String

    package init(_ header: JSON) {
        text = Base64URL.encode(header.serialized())
    }
}
