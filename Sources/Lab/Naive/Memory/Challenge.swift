internal import OpenSSL

/// What binds a code to who asked for it (RFC 7636 section 4.2).
struct Challenge: Sendable {
    let text: String
    /// The verifier itself instead of its hash; only by mistake.
    let isPlain: Bool

    func isMet(by verifier: String) -> Bool {
        same(text, isPlain ? verifier : Base64Text.encode(SHA256.hash(Array(verifier.utf8))))
    }

    /// RFC 7636 section 4.1.
    static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(Percent.isUnreserved)
    }
}
