internal import JOSE
package import OpenSSL

/// The failure to make a random value.
package struct RandomFailure: Error, Equatable, Sendable {
    /// The failure of the generator; `nil` if its values were not usable.
    package let cause: OpenSSLError?

    package init(cause: OpenSSLError? = nil) {
        self.cause = cause
    }
}

extension RandomFailure: RefusalCause {
    package var refusal: Refusal {
        Refusal.internalError(
            self, finding: "the source of random octets failed" + (cause.map { ": \($0)" } ?? "")
        ).unspent
    }
}

/// A source of random octets.
///
/// Tests replace it.
package struct RandomSource: Sendable {
    package typealias Bytes = @Sendable (_ count: Int) throws(RandomFailure) -> [UInt8]

    package let bytes: Bytes

    package init(bytes: @escaping Bytes) {
        self.bytes = bytes
    }

    /// The generator of OpenSSL, which the operating system seeds.
    package static let system = RandomSource { count throws(RandomFailure) in
        try wrappingNow({ RandomFailure(cause: $0) }, SecureRandom.bytes(count))
    }

    /// Returns 256 random bits as 43 characters of base64url.
    package func unguessableText() throws(RandomFailure) -> String {
        Base64URL.encode(try bytes(32))
    }
}
