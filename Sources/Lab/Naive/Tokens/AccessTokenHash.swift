internal import AttackLab
internal import Jansson
internal import OpenSSL

/// Whether an ID token came with this access token (OpenID Connect Core section 3.1.3.6).
enum AccessTokenHash {
    static func check(_ claims: JSON, _ accessToken: String, kit: Kit) throws(Refusal) {
        if kit.makes(.accessTokenHashIgnored) { return }
        if kit.makes(.accessTokenHashOptional), claims["at_hash"] == nil { return }
        // Yahoo writes base64 with padding; the standard wants base64url without.
        guard let text = claims["at_hash"]?.string, [22, 24].contains(text.utf8.count),
            let found = Base64Text.decode(unpadded(text)),
            constantTimeEqual(found, Array(SHA256.hash(Array(accessToken.utf8)).prefix(16)))
        else { throw .accessTokenHash }
    }

    private static func unpadded(_ text: String) -> String {
        String((text.hasSuffix("==") ? text.dropLast(2) : text[...]).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
