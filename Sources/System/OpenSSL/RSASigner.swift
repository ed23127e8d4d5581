internal import Synchronization

/// Signs with one private key on the thread of the caller, at the same time on several threads.
///
/// Threads that share a key contend for the lock of its blinding. So each signature borrows one of several copies of the key.
package final class RSASigner: Sendable {
    private let copies: [KeyCopy]

    /// Copies the key.
    ///
    /// - Parameters:
    ///   - key: The key. One in a token is shared, because it cannot be copied.
    ///   - count: The number of copies: that of the threads that sign, which is at least 1.
    /// - Throws: ``OpenSSLError`` if the key cannot be copied.
    package init(key: RSAPrivateKey, count: Int) throws(OpenSSLError) {
        precondition(count > 0)
        var copies: [KeyCopy] = []
        for _ in 0..<count {
            copies.append(KeyCopy(try key.duplicateTemplate(), signatureCount: key.publicKey.modulus.count))
        }
        self.copies = copies
    }

    /// Signs a message with RSASSA-PKCS1-v1_5 and SHA-256 (RFC 8017 §8.2.1).
    ///
    /// It blocks the thread for about 0.25 ms, and longer only if more threads sign than there are copies.
    ///
    /// - Throws: ``OpenSSLError`` if the library does not sign.
    package func signature(for message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        for copy in copies {
            if let result = copy.signatureIfFree(for: message) { return try result.get() }
        }
        return try copies[Int.random(in: copies.indices)].signature(for: message)
    }
}

/// A copy of a private key, which one thread at a time uses.
private final class KeyCopy: Sendable {
    private let template: Mutex<DigestContext>
    private let signatureCount: Int

    init(_ template: consuming DigestContext, signatureCount: Int) {
        self.template = Mutex(template)
        self.signatureCount = signatureCount
    }

    /// - Returns: `nil` if another thread uses the copy.
    func signatureIfFree(for message: [UInt8]) -> Result<[UInt8], OpenSSLError>? {
        template.withLockIfAvailable { template in
            Result { () throws(OpenSSLError) in try template.signature(for: message, maximumCount: signatureCount) }
        }
    }

    func signature(for message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try template.withLock { template throws(OpenSSLError) in
            try template.signature(for: message, maximumCount: signatureCount)
        }
    }
}
