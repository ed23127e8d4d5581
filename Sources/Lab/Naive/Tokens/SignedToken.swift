internal import AttackLab
internal import Jansson

/// A JWS in compact form (RFC 7515 section 7.1), of which nothing is believed yet.
struct SignedToken: Sendable {
    let header: JSON
    let algorithm: String
    let keyID: String?
    let payload: [UInt8]
    let signature: [UInt8]
    /// What is signed; it names the token, since a signature of ES256 can be rewritten by anybody.
    let signingInput: String
    let text: String

    init(_ text: String, kit: Kit) throws(Refusal) {
        // Counted before anything is split.
        guard text.utf8.count <= 16 * 1024, text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 else {
            throw Self.garbage("SignedToken.split", kit)
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let decode = kit.makes(.lenientBase64URL) ? Base64Text.decodeLeniently : Base64Text.decode
        guard !parts[0].isEmpty, let header = decode(parts[0]), let payload = decode(parts[1]),
            let signature = decode(parts[2])
        else { throw Self.garbage("SignedToken.decode", kit) }
        self.payload = payload
        self.signature = signature
        signingInput = parts[0] + "." + parts[1]
        self.text = text
        self.header = try Self.object(header, kit)
        guard let algorithm = self.header["alg"]?.string else { throw Self.garbage("SignedToken.alg", kit) }
        self.algorithm = algorithm
        keyID = try Self.keyID(self.header["kid"])
        // Where a signature is looked at, there has to be one.
        guard !signature.isEmpty || kit.makes(.signatureUnchecked) || isUnsigned(kit) else { throw .malformedToken }
        // RFC 7515 section 4.1.11: what is critical and not understood makes the token invalid.
        if !kit.makes(.criticalIgnored) {
            guard self.header["crit"] == nil, self.header["b64"] == nil else { throw .malformedToken }
        }
    }

    /// `alg: none`, taken only by mistake (RFC 8725 section 2.1).
    func isUnsigned(_ kit: Kit) -> Bool { kit.makes(.noneAccepted) && algorithm.lowercased() == "none" }

    /// RFC 8725 section 3.11: kinds of tokens are told apart by `typ`.
    func checkType(_ kit: Kit) throws(Refusal) {
        if kit.makes(.typeIgnored) { return }
        guard let type = header["typ"] else { return }
        guard type.string?.lowercased() == "jwt" else { throw .malformedToken }
    }

    /// A header or payload: one JSON object.
    static func object(_ bytes: [UInt8], _ kit: Kit) throws(Refusal) -> JSON {
        guard let value = try? JSONText(kit: kit).parse(bytes, maximumBytes: 16 * 1024), value.object != nil else {
            throw garbage("SignedToken.object", kit)
        }
        return value
    }

    private static func keyID(_ member: JSON?) throws(Refusal) -> String? {
        guard let member else { return nil }
        guard let text = member.string, (1...256).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .malformedToken }
        return text
    }

    private static func garbage(_ place: String, _ kit: Kit) -> Refusal {
        kit.makes(.crashOnGarbage) ? .crash("\(place): unexpectedly found nil") : .malformedToken
    }
}
