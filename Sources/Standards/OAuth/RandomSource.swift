internal import JOSE
internal import OpenSSL

/// The operating system gave no randomness.
///
/// Nothing can be begun then.
package struct RandomFailure: Error, Equatable, Sendable {
    package init() {}
}

/// Randomness, as a value.
package struct RandomSource: Sendable {
    package typealias Bytes = @Sendable (_ count: Int) throws(RandomFailure) -> [UInt8]

    package let bytes: Bytes

    package init(bytes: @escaping Bytes) {
        self.bytes = bytes
    }

    /// OpenSSL's generator, which the operating system seeds.
    package static let system = RandomSource { count throws(RandomFailure) in
        do {
            return try SecureRandom.bytes(count)
        } catch {
            throw RandomFailure()
        }
    }

    /// A value that nobody guesses: 256 bits, 43 characters of base64url.
    package func unguessableText() throws(RandomFailure) -> String {
        Base64URL.encode(try bytes(32))
    }
}
