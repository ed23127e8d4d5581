internal import Jansson
internal import OpenSSL

extension Catalogue {
    /// What `POST /v1/exchange` refuses is refused at this door as well: TX-01.
    static let subjectForgeries: [Attack] = [
        forgery("a", "of another audience", ["audience_mismatch"], [.audienceUnchecked, .forgottenDoor]) {
            draft, _ in draft.claims["aud"] = "another-client"
        },
        forgery("b", "of another issuer", ["issuer_mismatch"], [.issuerUnchecked]) { draft, _ in
            draft.claims["iss"] = "https://issuer.example"
        },
        forgery("c", "whose issuer only begins right", ["issuer_mismatch"], [.issuerUnchecked, .issuerPrefix]) {
            draft, _ in
            if case .text(let issuer)? = draft.claims["iss"] {
                draft.claims["iss"] = .text(issuer + ".issuer.example")
            }
        },
        forgery("d", "that expired an hour ago", ["expired"], [.expiryUnchecked]) { draft, now in
            draft.claims["iat"] = .number(now - 300)
            draft.claims["exp"] = .number(now - 120)
        },
        forgery("e", "signed by a foreign key", ["signature_invalid"], [.signatureUnchecked]) { draft, _ in
            draft.key = .foreign
        },
        forgery("f", "with `alg: none`", ["algorithm_not_allowed", "malformed_token"], [.noneAccepted]) { draft, _ in
            draft.header["alg"] = "none"
            draft.key = .none
        },
        forgery("g", "under HS256 with an empty secret", ["algorithm_not_allowed"], [.emptySecret]) { draft, _ in
            draft.header["alg"] = "HS256"
            draft.key = .custom { HMACSHA256.authenticationCode(for: $0, key: []) }
        },
        forgery("h", "that was issued an hour ago", ["too_old"], [.issueTimeUnchecked]) { draft, now in
            draft.claims["iat"] = .number(now - 3500)
            draft.claims["exp"] = .number(now + 100)
        },
        forgery("i", "with another nonce", ["nonce_mismatch"], [.nonceIgnored]) { draft, _ in
            draft.claims["nonce"] = "another"
        },
        forgery("j", "without a nonce", ["nonce_mismatch", "malformed_token"], [.nonceIgnored, .nonceOnlyIfPresent]) {
            draft, _ in draft.claims["nonce"] = nil
        },
        forgery("k", "of type `at+jwt`", ["malformed_token"], [.typeIgnored]) { draft, _ in
            draft.header["typ"] = "at+jwt"
        },
        forgery("l", "with an unknown `crit`", ["malformed_token"], [.criticalIgnored]) { draft, _ in
            draft.header["crit"] = ["exp"]
            draft.header["exp"] = 1
        },
        forgery("m", "with two `sub`", ["malformed_token"], [.duplicateMembers]) { draft, _ in
            draft.claims.append("sub", "ALICEWJNWVNQD4GXZ5NGMZUST4")
        },
        forgery("n", "without `exp`", ["malformed_token"], [.expiryUnchecked]) { draft, _ in
            draft.claims["exp"] = nil
        },
        forgery("o", "of a key that is in no set", ["unknown_key"], []) { draft, _ in
            draft.header["kid"] = "unknown-key"
            draft.key = .foreign
        },
        forgery(
            "p", "for two audiences", ["audience_mismatch"], [.audienceUnchecked, .audienceAmongOthers, .forgottenDoor]
        ) { draft, _ in
            if case .text(let audience)? = draft.claims["aud"] { draft.claims["aud"] = [.text(audience), "another"] }
        },
    ]

    private static func forgery(
        _ letter: String, _ what: String, _ reasons: Set<String>, _ reveals: Set<Mistake>,
        _ change: @escaping @Sendable (inout TokenDraft, _ now: Int64) -> Void
    ) -> Attack {
        Attack(
            "TX-01" + letter, .tokenExchange, .critical, "The subject token is an ID token \(what).",
            oracle: "invalid_request with the same reason as at every other door.",
            source: "RFC 8693 2.2.2; CVE-2026-9094; CVE-2026-9097", needs: [.standIns, .tokenExchange],
            reveals: reveals
        ) { strike in
            let request = try await strike.forgedSubject { change(&$0, strike.lab.now) }
            await strike.fire(request, expecting: .badSubject(reasons))
        }
    }
}
