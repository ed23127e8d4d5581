internal import Jansson

/// A Firebase ID token that is wrong in one thing, at every call that takes one.
enum BearerAttacks {
    typealias Variant = (letter: String, sentence: String, reason: String, order: [String: JSON])

    static let all: [Attack] = variants.map { variant in
        Attack(
            "LK-01\(variant.letter)", .link, .critical, "A bearer \(variant.sentence) asks for an account.",
            oracle: "401 \(variant.reason) before anything is read of the body; nothing changes.",
            source: "firebase-admin token-verifier.spec", needs: [.standIns, .accounts]
        ) { strike in
            let victim = try await strike.enter()
            let token = try await strike.bearer(of: victim.uid, variant.order)
            await strike.fireEverywhere(token, expecting: .unauthorized(variant.reason))
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
        }
    }

    private static let invalid = "id_token_invalid"

    private static let variants: [Variant] = claims + headers + times

    private static let claims: [Variant] = [
        ("f", "of another project", invalid, ["project_id": "another"]),
        (
            "g", "whose `iss` alone is of another project", invalid,
            ["set": ["iss": "https://securetoken.google.com/another"]]
        ),
        ("h", "whose `iss` has one slash more", invalid, ["set": ["iss": "https://securetoken.google.com/sandbox/"]]),
        ("i", "whose `aud` alone is another project", invalid, ["set": ["aud": "another"]]),
        ("j", "whose `aud` is a list that holds the project", invalid, ["set": ["aud": ["another", "sandbox"]]]),
        ("k", "with an empty `sub`", invalid, ["set": ["sub": "", "user_id": ""]]),
        (
            "l", "with a `sub` of 129 characters", invalid,
            [
                "set": [
                    "sub": .string(String(repeating: "a", count: 129)),
                    "user_id": .string(String(repeating: "a", count: 129)),
                ]
            ]
        ),
        ("m", "with a number for `sub`", invalid, ["set": ["sub": 1, "user_id": 1]]),
        ("n", "without `sub`", invalid, ["remove": ["sub"]]),
        ("o", "whose `user_id` is another than its `sub`", invalid, ["set": ["user_id": "another-uid"]]),
        ("p", "with two `sub`", invalid, ["duplicate": ["sub": "another-uid"]]),
        ("q", "without `firebase`", invalid, ["remove": ["firebase"]]),
    ]

    private static let headers: [Variant] = [
        ("r", "without `kid`", invalid, ["header_remove": ["kid"]]),
        ("s", "with an unknown `kid`", invalid, ["header": ["kid": "unknown-key"]]),
        ("t", "signed by another key under the right `kid`", invalid, ["key": "foreign"]),
        ("u", "with `alg` none and no signature", invalid, ["key": "none"]),
        ("v", "signed by HS256 with the public key", invalid, ["key": "hs256"]),
        ("w", "whose header says ES256", invalid, ["header": ["alg": "ES256"]]),
        ("x", "whose header says RS512", invalid, ["header": ["alg": "RS512"]]),
        ("y", "with an unknown `crit`", invalid, ["header": ["crit": ["exp"]]]),
        ("z", "that is not JSON inside", invalid, ["payload_text": "sub=another-uid"]),
    ]

    private static let times: [Variant] = [
        ("aa", "that has expired", "id_token_expired", ["issued_seconds_ago": 3700]),
        ("ab", "of tomorrow", invalid, ["issued_seconds_ago": -86400]),
        ("ac", "without `exp`", invalid, ["remove": ["exp"]]),
        ("ad", "without `iat`", invalid, ["remove": ["iat"]]),
        ("ae", "without `auth_time`", invalid, ["remove": ["auth_time"]]),
        ("af", "that is good for ten years", invalid, ["set": ["exp": 2_100_000_000]]),
        ("ag", "of a sign-in that is yet to come", invalid, ["authenticated_seconds_ago": -600]),
        ("ah", "whose `exp` is a text", invalid, ["set": ["exp": "2100000000"]]),
    ]
}

extension Strike {
    /// Sends the same bearer token to every call.
    ///
    /// The bodies are not JSON, so that an endpoint that reads the body first responds
    /// differently.
    ///
    /// - `onlyBodiless`: at those calls alone that have no body.
    func fireEverywhere(
        _ bearer: String?, expecting expectation: Expectation, onlyBodiless: Bool = false, at wire: Wire? = nil
    ) async {
        await fire(account(bearer), expecting: expectation, at: wire)
        await fire(deleteAccount(bearer), expecting: expectation, at: wire)
        guard !onlyBodiless else { return }
        for call in ["link", "unlink", "reauthenticate", "merge", "signout"] {
            await fire(.json("/v1/account/" + call, text: "{", bearer: bearer), expecting: expectation, at: wire)
        }
    }
}
