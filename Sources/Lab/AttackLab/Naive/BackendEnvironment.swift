internal import Foundation
internal import OpenSSL

/// The values that every part needs: the time, randomness, the folder and the mistakes to make.
struct BackendEnvironment: Sendable {
    let mistakes: Set<Mistake>
    let folder: String

    func makes(_ mistake: Mistake) -> Bool { mistakes.contains(mistake) }

    /// Seconds since 1970-01-01T00:00:00Z.
    var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// A random text of 256 bits in 43 characters.
    func unguessable() throws(Refusal) -> String {
        do {
            return Base64Text.encode(try SecureRandom.bytes(32))
        } catch {
            throw .broken
        }
    }

    static func digest(_ parts: String...) -> String {
        // The length precedes each part, so that different lists have different digests.
        let bytes = parts.flatMap { part in Array("\(part.utf8.count):".utf8) + Array(part.utf8) }
        return Base64Text.encode(SHA256.hash(bytes))
    }
}

/// Whether two texts have the same bytes.
///
/// Swift's `==` compares by canonical equivalence.
func same(_ one: String, _ other: String) -> Bool {
    constantTimeEqual(Array(one.utf8), Array(other.utf8))
}
