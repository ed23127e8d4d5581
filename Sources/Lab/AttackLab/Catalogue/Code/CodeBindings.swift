internal import Jansson
internal import OpenSSL

extension Catalogue {
    static let codeBindings = Section(.code, .critical).attacks(
        .attack(
            "EX-04", "A code is posted without its `code_verifier`.",
            oracle:
                """
                The server responds with pkce_required and does not call the provider; the code can still be \
                redeemed.
                """,
            source: "CVE-2023-48228", reveals: [.verifierOptional]
        ) { context in
            let code = try await context.xCode()
            let mark = try await context.mark()
            await context.fire(
                context.exchange(code.with("code_verifier", nil)), expecting: .malformed("pkce_required"))
            try await context.expectCalls(["x.oauth2_token": 0], since: mark)
            try await context.mustStillWork(context.exchange(code))
        },
        .attack(
            "EX-07a", "A stolen code of a provider without PKCE is posted with a nonce of the attacker.",
            oracle: "The server responds with nonce_mismatch: the ID token for the code contains the victim's nonce.",
            source: "RFC 9700 4.5, 4.8", reveals: [.nonceIgnored]
        ) { context in
            let code = try await context.yahooCode()
            await context.fire(
                context.exchange(code.with("nonce", "attackers-own-nonce-0001")), expecting: .refused("nonce_mismatch"))
        },
        .attack(
            "EX-07b", "A stolen code is posted several times with guessed nonces, one of which is right.",
            oracle:
                """
                The first guess uses up the code; the server responds with replayed to the others, even to \
                the right one.
                """,
            source: "RFC 9700 4.5", reveals: [.nonceIgnored, .codeReused]
        ) { context in
            let code = try await context.yahooCode()
            let mark = try await context.mark()
            await context.fire(
                context.exchange(code.with("nonce", "guess-number-one")), expecting: .refused("nonce_mismatch"))
            await context.fire(
                context.exchange(code.with("nonce", "guess-number-two")), expecting: .refused("replayed"))
            await context.fire(context.exchange(code), expecting: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-07c", "A stolen code of X is posted with a code verifier of the attacker.",
            oracle: "The server responds with code_rejected: the provider compares the verifier with the challenge.",
            source: "RFC 7636 4.6; RFC 9700 4.8", reveals: [.codeReused]
        ) { context in
            let code = try await context.xCode()
            let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
            await context.fire(
                context.exchange(code.with("code_verifier", .string(verifier))), expecting: .refused("code_rejected"))
            await context.fire(context.exchange(code), expecting: .refused("replayed"))
        },
        .attack(
            "EX-07d", "A code of an authorization request without a nonce is posted with a nonce.",
            oracle: "The server responds with invalid_grant: an ID token without a nonce is not bound to this sign-in.",
            source: "FAPI2 invalid-missing-nonce; RFC 9700 4.5.3.2", reveals: [.nonceIgnored, .nonceOnlyIfPresent]
        ) { context in
            let code = try await context.yahooCode(nonce: "").with("nonce", "attackers-own-nonce-0001")
            await context.fire(context.exchange(code), expecting: .refused("nonce_mismatch", "malformed_token"))
        },
        .attack(
            "EX-07e", "The code and the nonce of a session are posted without it; the provider does not support PKCE.",
            oracle:
                """
                The server responds with nonce_mismatch, because it made the nonce itself, and does not call the \
                provider; the session stays valid.
                """,
            source: "RFC 9700 4.5, 4.8", needs: [.standIns, .sessions]
        ) { context in
            let begun = try await context.session()
            let url = try await context.callbackURL(of: begun)
            let stolen = IssuedCode(
                provider: begun.provider, code: PercentEncoding.parameter("code", of: url) ?? "",
                members: [
                    "redirect_uri": .string(begun.redirectURI),
                    "nonce": .string(PercentEncoding.parameter("nonce", of: begun.authorizationURL) ?? ""),
                ])
            let mark = try await context.mark()
            await context.fire(context.exchange(stolen), expecting: .refused("nonce_mismatch"))
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(context.ending(begun, url))
        },
        .attack(
            "EX-08a", "A code that Yahoo issued to another application is posted.",
            oracle: "The server responds with code_rejected: the provider refuses the code for the server's client id.",
            source: "CVE-2026-55672; CVE-2026-28513"
        ) { context in
            let code = try await context.yahooCode(application: "hostile")
            await context.fire(context.exchange(code), expecting: .refused("code_rejected"))
        },
        .attack(
            "EX-08b", "The token response contains an ID token that was issued to another application.",
            oracle:
                """
                The server responds with audience_mismatch: it checks `aud` of ID tokens from the token \
                endpoint, too.
                """,
            source: "OIDC Core 3.1.3.7; CVE-2026-55672", reveals: [.audienceUnchecked]
        ) { context in
            let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
            let issued = try await context.standIns.issue([
                "provider": "yahoo.com", "application": "hostile", "user": "alice", "nonce": .string(nonce),
            ])
            try await context.standIns.fault([
                "target": "yahoo.token", "times": 1,
                "set": ["id_token": issued["id_token"] ?? .null, "access_token": issued["access_token"] ?? .null],
            ])
            await context.fire(
                context.exchange(try await context.yahooCode(nonce: nonce)), expecting: .refused("audience_mismatch"))
        },
        .attack(
            "EX-10a", "A code of Yahoo is posted with the provider id of X.", severity: .high,
            oracle:
                "The server responds with redirect_uri_not_allowed and does not call Yahoo; the code can still be redeemed there.",
            source: "RFC 9700 4.4"
        ) { context in
            let code = try await context.yahooCode()
            let mark = try await context.mark()
            let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
            let moved = code.with("nonce", nil).with("code_verifier", .string(verifier))
            await context.fire(
                context.exchange(moved, provider: "twitter.com"), expecting: .foreignRedirectURI)
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(context.exchange(code))
        },
        .attack(
            "EX-10b", "A code of X is posted with the provider id of Yahoo.", severity: .high,
            oracle:
                "The server responds with redirect_uri_not_allowed and does not call X; the code can still be redeemed there.",
            source: "RFC 9700 4.4"
        ) { context in
            let code = try await context.xCode()
            let mark = try await context.mark()
            let moved = code.with("code_verifier", nil).with("nonce", "attackers-own-nonce-0001")
            await context.fire(
                context.exchange(moved, provider: "yahoo.com"), expecting: .foreignRedirectURI)
            try await context.expectCalls(["x.oauth2_token": 0], since: mark)
            try await context.mustStillWork(context.exchange(code))
        },
        .attack(
            "EX-10c", "A redeemed code is posted again under another provider id that has the same issuer.",
            severity: .high, oracle: "The server responds with invalid_grant and mints no second token for the code.",
            source: "RFC 9700 4.4",
            needs: [.standIns, .discovery]
        ) { context in
            let code = try await context.yahooCode()
            try await context.honest(context.exchange(code))
            let moved = code.with("redirect_uri", .string(context.lab.application.discoveredRedirectURI))
            await context.fire(
                context.exchange(moved, provider: "op.example"), expecting: .refused("code_rejected", "replayed"))
        },
        .attack(
            "EX-24", "A code of a flow without a challenge is posted with a `code_verifier`.", severity: .medium,
            oracle: "The server responds with parameter_not_allowed instead of ignoring the verifier (RFC 9700 4.8.2).",
            source: "RFC 9700 4.8.2"
        ) { context in
            let code = try await context.yahooCode()
            let mark = try await context.mark()
            let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
            await context.fire(
                context.exchange(code.with("code_verifier", .string(verifier))),
                expecting: .malformed("parameter_not_allowed"))
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(context.exchange(code))
        },
    )
}

extension Expectation {
    /// Expects the refusal of a code whose redirect URI is that of another provider; a server with one list of redirect URIs
    /// for all providers sends the code to the provider that the request names, which rejects it.
    fileprivate static let foreignRedirectURI = Expectation.malformed("redirect_uri_not_allowed").or(
        .refused("code_rejected"))
}
