internal import Jansson

/// A JWS in compact form (RFC 7515 section 7.1), not verified yet.
struct SignedToken: Sendable {
    let header: JSON
    let algorithm: String
    let keyID: String?
    let payload: [UInt8]
    let signature: [UInt8]
    /// The signing input.
    ///
    /// It identifies the token in the record of used ones, since anyone can rewrite an ES256 signature.
    let signingInput: String
    let text: String

    init(_ text: String, environment: BackendEnvironment) throws(Refusal) {
        // The dots are counted before the text is split.
        guard text.utf8.count <= 16 * 1024, text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 else {
            throw Self.garbage("SignedToken.split", environment)
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let decode = environment.makes(.lenientBase64URL) ? Base64Text.decodeLeniently : Base64Text.decode
        guard !parts[0].isEmpty, let header = decode(parts[0]), let payload = decode(parts[1]),
            let signature = decode(parts[2])
        else { throw Self.garbage("SignedToken.decode", environment) }
        self.payload = payload
        self.signature = signature
        signingInput = parts[0] + "." + parts[1]
        self.text = text
        self.header = try Self.object(header, environment)
        guard let algorithm = self.header["alg"]?.string else { throw Self.garbage("SignedToken.alg", environment) }
        self.algorithm = algorithm
        keyID = try Self.keyID(self.header["kid"])
        // If the signature is checked, it must not be empty.
        guard !signature.isEmpty || environment.makes(.signatureUnchecked) || isUnsigned(environment) else {
            throw .malformedToken
        }
        // RFC 7515 section 4.1.11: a critical extension that is not understood makes the token invalid.
        if !environment.makes(.criticalIgnored) {
            guard self.header["crit"] == nil, self.header["b64"] == nil else { throw .malformedToken }
        }
    }

    /// Whether the token has `alg: none`, which is accepted only because of a mistake (RFC 8725 section 2.1).
    func isUnsigned(_ environment: BackendEnvironment) -> Bool {
        environment.makes(.noneAccepted) && algorithm.lowercased() == "none"
    }

    /// Checks `typ`, which distinguishes kinds of tokens (RFC 8725 section 3.11).
    func checkType(_ environment: BackendEnvironment) throws(Refusal) {
        if environment.makes(.typeIgnored) { return }
        guard let type = header["typ"] else { return }
        guard type.string?.lowercased() == "jwt" else { throw .malformedToken }
    }

    /// Parses a header or a payload, which is one JSON object.
    static func object(_ bytes: [UInt8], _ environment: BackendEnvironment) throws(Refusal) -> JSON {
        guard let value = try? JSONText(environment: environment).parse(bytes, maximumBytes: 16 * 1024),
            value.object != nil
        else {
            throw garbage("SignedToken.object", environment)
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

    private static func garbage(_ publicOrigin: String, _ environment: BackendEnvironment) -> Refusal {
        environment.makes(.crashOnGarbage) ? .crash("\(publicOrigin): unexpectedly found nil") : .malformedToken
    }
}
