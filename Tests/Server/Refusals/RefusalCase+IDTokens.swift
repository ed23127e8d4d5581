import JOSE
import Jansson

/// ID tokens with one thing wrong.
extension RefusalCase {
    static let idTokens: [Self] = [
        Self("the token was issued to another application", "audience_mismatch") {
            try await $0.exchange(try await $0.idTokenBody(application: "hostile"))
        },
        Self("the token was issued by another issuer", "issuer_mismatch") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["iss": "https://evil.example"]))
        },
        Self("another key signed it", "signature_invalid") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["key": "foreign"]))
        },
        Self("it is signed with the public key as a shared secret", "algorithm_not_allowed") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["key": "hs256"]))
        },
        Self("it is signed with a key that is not published", "unknown_key") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["header": ["kid": "another"]]))
        },
        Self("it expired a hundred seconds ago", "expired") { street in
            let now = street.clock.now.seconds
            return try await street.exchange(
                try await street.idTokenBody(claims: ["set": ["exp": .integer(now - 100)]]))
        },
        Self("it is not valid for a hundred seconds yet", "not_yet_valid") { street in
            let now = street.clock.now.seconds
            return try await street.exchange(
                try await street.idTokenBody(claims: ["set": ["nbf": .integer(now + 100)]]))
        },
        Self("it was issued in the future", "not_yet_valid") { street in
            let now = street.clock.now.seconds
            return try await street.exchange(
                try await street.idTokenBody(claims: ["set": ["iat": .integer(now + 100)]]))
        },
        Self("it was issued an hour ago", "too_old") { street in
            let now = street.clock.now.seconds
            return try await street.exchange(
                try await street.idTokenBody(claims: ["set": ["iat": .integer(now - 3600)]]))
        },
        Self("its nonce is of another verifier", "nonce_mismatch") { street in
            try await street.exchange(
                try await street.idTokenBody()
                    .setting("credential", "nonce", to: .string(try await street.nonce().verifier)))
        },
        Self("the verifier is none of ours", "nonce_mismatch") {
            try await $0.exchange(try await $0.idTokenBody().setting("credential", "nonce", to: "AAAA"))
        },
        Self("it does not vouch for the access token beside it", "at_hash_mismatch") {
            try await $0.exchange(
                try await $0.idTokenBody().setting("credential", "access_token", to: "another"))
        },
        Self("it is no token", "malformed_token") { street in
            try await street.exchange(
                Bodies.inventedIDToken.setting(
                    "credential", "nonce", to: .string(try await street.nonce().verifier)))
        },
        Self("it lacks its subject", "malformed_token") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["remove": ["sub"]]))
        },
        Self("it lives for two days", "lifetime_too_long") { street in
            let now = street.clock.now.seconds
            return try await street.exchange(
                try await street.idTokenBody(claims: ["set": ["exp": .integer(now + 172_800)]]))
        },
        Self("it is posted again", "replayed") { street in
            let body = try await street.idTokenBody()
            _ = try await street.exchange(body)
            return try await street.exchange(body)
        },
    ]
}
