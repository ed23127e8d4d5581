internal import AttackLab
internal import Foundation
internal import OpenSSL

/// What every part needs: the time, chance, and which mistakes to make.
struct BackendEnvironment: Sendable {
    let mistakes: Set<Mistake>
    let folder: String

    func makes(_ mistake: Mistake) -> Bool { mistakes.contains(mistake) }

    /// Seconds since 1970-01-01T00:00:00Z.
    var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// 256 bits in 43 characters.
    func unguessable() throws(Refusal) -> String {
        do {
            return Base64Text.encode(try SecureRandom.bytes(32))
        } catch {
            throw .broken
        }
    }

    static func digest(_ parts: String...) -> String {
        // Each part with its length before it, so that no two lists have one digest.
        let bytes = parts.flatMap { part in Array("\(part.utf8.count):".utf8) + Array(part.utf8) }
        return Base64Text.encode(SHA256.hash(bytes))
    }
}

/// Whether two texts are the same octets; Swift's `==` asks whether they look the same.
func same(_ one: String, _ other: String) -> Bool {
    constantTimeEqual(Array(one.utf8), Array(other.utf8))
}
