internal import Jansson

extension Catalogue {
    /// Members of the token endpoint's answer: UP-09.
    static let tokenGarbage: [Attack] = [
        ("a", "an access token that is a number", ["set": ["access_token": 1]]),
        ("b", "an access token that is a list", ["set": ["access_token": ["a"]]]),
        ("c", "an access token that is null", ["set": ["access_token": .null]]),
        ("d", "no access token", ["remove": ["access_token"]]),
        ("e", "an access token of 20 KB", ["set": ["access_token": .string(String(repeating: "a", count: 20_480))]]),
        ("f", "an ID token that is an object", ["set": ["id_token": ["sub": "ALICEWJNWVNQD4GXZ5NGMZUST4"]]]),
        ("g", "no ID token", ["remove": ["id_token"]]),
        ("h", "an ID token that is null", ["set": ["id_token": .null]]),
        ("i", "a refresh token that is a list", ["set": ["refresh_token": ["a"]]]),
        ("j", "an `expires_in` of -1", ["set": ["expires_in": -1]]),
        (
            "k", "an `expires_in` of 1e400",
            ["body": "{\"access_token\":\"a\",\"token_type\":\"bearer\",\"expires_in\":1e400}"]
        ),
        (
            "l", "two access tokens",
            ["body": "{\"access_token\":\"a\",\"access_token\":\"b\",\"token_type\":\"bearer\"}"]
        ),
        ("m", "`error` and everything else right", ["set": ["error": "invalid_grant"]]),
        ("n", "U+0000 in the access token", ["body": "{\"access_token\":\"a\\u0000b\",\"token_type\":\"bearer\"}"]),
        ("o", "half a surrogate", ["body": "{\"access_token\":\"a\\ud800\",\"token_type\":\"bearer\"}"]),
        ("p", "an ID token of nonsense", ["set": ["id_token": "e30"]]),
        ("q", "an empty ID token", ["set": ["id_token": ""]]),
        ("r", "an access token with a line's end", ["set": ["access_token": "a\r\nX-Evil: 1"]]),
    ].map { (letter: String, what: String, fault: JSON) in
        Attack(
            "UP-09" + letter, .provider, .medium, "Yahoo's token endpoint answers with \(what).",
            oracle: "Refused: 502, or as an invalid ID token; no one is signed in, and the server keeps running.",
            source: "RFC 6749 5.1; RFC 8259; jansson"
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            try await strike.standIns.fault(
                fault.setting(["target"], to: "yahoo.token").setting(["times"], to: 1))
            await strike.fire(
                request,
                expecting: .unusable("provider_response_invalid").or(.refused("malformed_token", "at_hash_mismatch")))
        }
    }
}
