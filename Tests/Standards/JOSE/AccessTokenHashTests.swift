import JOSE
import OpenSSL
import Testing

@Suite("Access token hash")
struct AccessTokenHashTests {
    /// The pair of OpenID Connect Core 1.0 §A.3.
    private let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
    private let hash = "77QmUPtjPfzWtF2AnpK9RQ"

    private func check(_ json: String?, accessToken: String) throws {
        try AccessTokenHash.check(try TestToken("at_hash", json).verified(), accessToken: accessToken)
    }

    @Test("The example of the standard is accepted, with and without padding")
    func standardExample() throws {
        try check("\"\(hash)\"", accessToken: accessToken)
        try check("\"\(hash)==\"", accessToken: accessToken)
    }

    @Test("base64 and base64url are accepted")
    func alphabets() throws {
        // A token whose hash contains both characters in which the alphabets differ.
        let found = (0..<1000).lazy.map { "token\($0)" }.first {
            let text = Base64URL.encode(Array(SHA256.hash(Array($0.utf8)).prefix(16)))
            return text.contains("-") && text.contains("_")
        }
        let token = try #require(found)
        let text = Base64URL.encode(Array(SHA256.hash(Array(token.utf8)).prefix(16)))
        try check("\"\(text)\"", accessToken: token)
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        try check("\"\(standard)==\"", accessToken: token)
    }

    @Test("IDT-37: the access token of another sign-in is refused")
    func otherToken() {
        #expect(throws: JOSEError.accessTokenHashMismatch) { try check("\"\(hash)\"", accessToken: accessToken + "x") }
        #expect(throws: JOSEError.accessTokenHashMismatch) { try check("\"\(hash)\"", accessToken: "") }
    }

    @Test("IDT-38: a missing or malformed at_hash is refused")
    func undecidable() {
        #expect(throws: JOSEError.missingClaim("at_hash")) { try check(nil, accessToken: accessToken) }
        let whole = Base64URL.encode(SHA256.hash(Array(accessToken.utf8)))
        for json in [
            "1", "[\"\(hash)\"]", #""""#, #""==""#, "\"\(hash)=\"", "\"\(hash)===\"", "\"\(hash.dropLast())\"",
            "\"\(hash)A\"", "\"\(hash.dropLast())R\"", "\"\(whole)\"", "\"\(hash.dropLast(2))==\"", "\" \(hash)\"",
        ] {
            #expect(throws: JOSEError.malformedClaim("at_hash")) { try check(json, accessToken: accessToken) }
        }
    }
}
