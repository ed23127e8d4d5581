import Sandbox
import Testing

@Suite("Sentences of the home page")
struct HomeTextTests {
    @Test(
        "Every reason of a refused sign-in has a sentence",
        arguments: [
            "audience_mismatch", "audience_unverifiable", "issuer_mismatch", "signature_invalid",
            "algorithm_not_allowed", "unknown_key", "expired", "not_yet_valid", "too_old", "nonce_mismatch",
            "at_hash_mismatch", "state_mismatch", "session_invalid", "callback_mismatch", "intent_mismatch",
            "unknown_credential_type", "code_rejected", "pkce_mismatch", "token_rejected",
            "malformed_token", "replayed", "authorization_pending", "slow_down", "expired_token", "access_denied",
            "redirect_uri_not_allowed", "pkce_required", "unsupported_credential", "unknown_client",
            "unauthorized_client", "rate_limited",
        ])
    func reasons(reason: String) {
        #expect(Defence.sentence(for: reason)?.hasSuffix(".") == true)
    }

    @Test("An unknown reason has no sentence")
    func unknown() {
        #expect(Defence.sentence(for: "brand_new") == nil)
        #expect(AudienceProofNote.sentence(for: "brand_new") == nil)
    }

    @Test(
        "Every audience proof is explained",
        arguments: ["authorization_code", "id_token_aud", "consumer_signature", "introspection"])
    func proofs(proof: String) {
        #expect(AudienceProofNote.sentence(for: proof)?.hasSuffix(".") == true)
    }

    @Test("A token is split into header, claims and times")
    func token() {
        let token = TokenText(HomeVisitor.customToken)
        #expect(token?.header == "{\n  \"alg\": \"RS256\"\n}")
        #expect(token?.claims == "{\n  \"exp\": 1700000300,\n  \"uid\": \"yahoo.com:ALICE\"\n}")
        #expect(token?.times.map(\.claim) == ["exp"])
        #expect(token?.times.map(\.text) == ["2023-11-14 22:18:20 UTC"])
        #expect(token?.signatureByteCount == 3)
    }

    @Test(
        "A text that is not a token is not split",
        arguments: [
            "", "a.b.c", "eyJhbGciOiJSUzI1NiJ9.eyJ1aWQiOiJ1In0", "eyJ4Ijoi.eyJ1aWQiOiJ1In0.AAAA", "e30.e30.AAAA",
        ])
    func noToken(text: String) {
        #expect(TokenText(text) == nil)
    }
}
