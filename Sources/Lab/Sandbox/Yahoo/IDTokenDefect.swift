import JOSE
import Jansson
import OpenSSL

/// Deviations of an ID token from a correct one.
///
/// ```json
/// {"set": {"aud": "other"}, "remove": ["nonce"], "duplicate": {"sub": "other"}, "payload_text": "not JSON",
///  "header": {"typ": "at+jwt"}, "header_remove": ["kid"], "header_text": "{}", "key": "foreign", "times": 1}
/// ```
/// All members are optional. `"iss": "…"` is short for a member of `set`. `duplicate` adds members a second time, at
/// the end. A `…_text` replaces the whole part. Without `times` the defect lasts until it is removed.
struct IDTokenDefect: Sendable {
    /// The key and the algorithm of the signature; `header` may contain others.
    enum Signature: String, CaseIterable, Sendable {
        case own
        /// Another key with the id of the own key.
        case foreign
        /// The stand-in's RSA key, with its own id.
        case rsa
        /// HMAC with the PEM text of the public key as secret.
        case hs256
        /// No signature, `alg` `none`.
        case none
        /// The own signature (r, s) rewritten as (r, n − s), which is valid too.
        case malleated
    }

    var remaining: Int64?
    let signature: Signature
    private let set: [String: JSON]
    private let removed: [String]
    private let duplicated: [String: JSON]
    private let payloadText: String?
    private let headerSet: [String: JSON]
    private let headerRemoved: [String]
    private let headerText: String?

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        try self.init(&input)
        try input.finish()
    }

    /// Reads the members of a defect from a command that may have others.
    init(_ input: inout ControlInput) throws(ControlError) {
        var set = try input.members("set")
        if let issuer = try input.string("iss") { set["iss"] = .string(issuer) }
        self.set = set
        removed = try input.strings("remove")
        duplicated = try input.members("duplicate")
        payloadText = try input.string("payload_text")
        headerSet = try input.members("header")
        headerRemoved = try input.strings("header_remove")
        headerText = try input.string("header_text")
        signature = try input.word("key") ?? .own
        remaining = try input.integer("times", in: 1...1_000_000_000)
    }

    func header(_ honest: [String: JSON]) -> [UInt8] {
        if let headerText { return Array(headerText.utf8) }
        var header = honest
        switch signature {
        case .rsa: header["alg"] = .string("RS256")
        case .hs256: header["alg"] = .string("HS256")
        case .none: header["alg"] = .string("none")
        case .own, .foreign, .malleated: break
        }
        for name in headerRemoved { header[name] = nil }
        return JSON.object(header.merging(headerSet) { $1 }).serialized()
    }

    func payload(_ honest: [String: JSON]) -> [UInt8] {
        if let payloadText { return Array(payloadText.utf8) }
        var claims = honest
        for name in removed { claims[name] = nil }
        let bytes = JSON.object(claims.merging(set) { $1 }).serialized()
        guard !duplicated.isEmpty else { return bytes }
        // `{…}` and `{more}` become `{…,more}`.
        return bytes.dropLast() + Array(",".utf8) + JSON.object(duplicated).serialized().dropFirst()
    }
}

/// Makes ID tokens with a correct or wrong signature.
struct IDTokenSigner {
    let keys: YahooKeySet

    func token(header: [UInt8], payload: [UInt8], _ kind: IDTokenDefect.Signature) throws(OpenSSLError) -> String {
        try CompactJWS.text(header: header, payload: payload) { message throws(OpenSSLError) in
            switch kind {
            case .own: try keys.current.signature(for: message)
            case .foreign: try keys.foreign.signature(for: message)
            case .rsa: try keys.rsa.privateKey.signature(for: message)
            case .hs256: HMACSHA256.authenticationCode(for: message, key: Array(keys.currentPEM.utf8))
            case .none: []
            case .malleated: MalleatedSignature.other(than: try keys.current.signature(for: message))
            }
        }
    }
}

/// The other valid ECDSA signature for the same message and key.
package enum MalleatedSignature {
    /// Returns (r, n − s) for (r, s) on the curve P-256, with 32 bytes each.
    ///
    /// Applied twice it returns the original.
    ///
    /// - Precondition: `signature` has 64 bytes.
    package static func other(than signature: [UInt8]) -> [UInt8] {
        precondition(signature.count == 64, "A signature on P-256 is r and s, 32 bytes each (RFC 7518 §3.4).")
        var difference = command
        var borrow: Int16 = 0
        for index in command.indices.reversed() {
            let digit = Int16(command[index]) - Int16(signature[32 + index]) - borrow
            borrow = digit < 0 ? 1 : 0
            difference[index] = UInt8(truncatingIfNeeded: digit)
        }
        return signature.prefix(32) + difference
    }

    /// `n` of P-256 (SP 800-186 §3.2.1.3).
    private static let command: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}
