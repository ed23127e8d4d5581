internal import Foundation
internal import Jansson
internal import OpenSSL

/// A seal key of the server that an attacker has stolen, without any other secret.
///
/// The format of sealed values is implemented a second time on purpose: AES-256-GCM (NIST SP 800-38D) with a nonce of 96
/// bits, under a key for each kind that HKDF-SHA256 (RFC 5869) derives, with kind and holder as associated data.
package struct StolenSealKey: Sendable {
    private static let octetCount = 32

    private let octets: [UInt8]

    /// Reads the key in base64url, as in a configuration, or from a file.
    ///
    /// - Parameter text: The name of a file with 32 octets or with the text of the key, or that text itself.
    package init?(fileOrText text: String) {
        let contents = FileManager.default.contents(atPath: text).map { Array($0) }
        if let contents, contents.count == Self.octetCount {
            octets = contents
            return
        }
        let written = contents.map { String(decoding: $0, as: UTF8.self) } ?? text
        let trimmed = written.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let decoded = Base64.urlDecode(trimmed), decoded.count == Self.octetCount else { return nil }
        octets = decoded
    }

    /// Seals any content as the server does.
    ///
    /// - Parameters:
    ///   - content: The members that the server would read.
    ///   - kind: The purpose that the value claims, `session` for example.
    ///   - holder: The party that the server names when it opens the value, as a rule a client id.
    /// - Returns: The sealed value in base64url.
    func seal(_ content: JSON, as kind: String, for holder: String) throws(OpenSSLError) -> String {
        let key = try HKDFSHA256.derive(
            from: octets, salt: [], info: Array("token-exchange seal \(kind)".utf8), count: Self.octetCount)
        do {
            let sealed = try AES256GCM(key: key)
                .seal(content.serialized(), authenticating: Array("token-exchange\0\(kind)\0\(holder)".utf8))
            return Base64.urlEncode(sealed)
        } catch let error as OpenSSLError {
            throw error
        } catch {
            preconditionFailure("HKDF gave the 32 octets that were asked for.")
        }
    }
}
