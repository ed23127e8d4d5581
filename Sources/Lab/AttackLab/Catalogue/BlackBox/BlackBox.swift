internal import Jansson

/// Attacks that need only the tester's own credentials, and that work on any server with this API.
extension Catalogue {
    static let blackBox: [Attack] = blackBoxSpellings + blackBoxTokens

    /// Changed spellings of a genuine token.
    ///
    /// None of them uses the token up: the last of ``blackBoxTokens`` sends it unchanged.
    private static let blackBoxSpellings: [Attack] = [
        spelling("BB-01", "one bit of its signature flipped", source: "jwt_tool; OIDF invalid-sig-rs256") { token in
            TokenSpelling.replacing(2, of: token) { ($0.hasPrefix("A") ? "B" : "A") + $0.dropFirst() }
        },
        spelling("BB-02", "its signature removed", source: "CVE-2020-28042; CVE-2026-45363") { token in
            TokenSpelling.replacing(2, of: token) { _ in "" }
        },
        spelling("BB-03", "`alg` `none` and no signature", source: "RFC 8725 2.1") { token in
            let header = Base64.urlEncode("{\"alg\":\"none\"}")
            return TokenSpelling.replacing(2, of: TokenSpelling.replacing(0, of: token) { _ in header }) { _ in "" }
        },
        spelling("BB-04", "a second `sub` in front of its own", source: "RFC 7519 4; jansson's default") { token in
            TokenSpelling.replacing(1, of: token) { TokenSpelling.inserting("\"sub\":\"victim\"", into: $0) }
        },
        spelling("BB-05", "an unknown `crit` in its header", source: "RFC 7515 4.1.11") { token in
            TokenSpelling.replacing(0, of: token) { TokenSpelling.inserting("\"crit\":[\"bork\"]", into: $0) }
        },
        spelling("BB-06", "padding after its signature", source: "RFC 7515 2; Wycheproof 360-375") { $0 + "=" },
        spelling("BB-07", "a fourth part appended", source: "RFC 7516 3.1; CVE-2023-51774") { $0 + ".e30" },
    ]

    private static func spelling(
        _ id: String, _ change: String, source: String, _ respell: @escaping @Sendable (String) -> String
    ) -> Attack {
        Attack(
            id, .idToken, .critical, "A genuine ID token is posted with \(change).",
            oracle: "The server refuses it; the genuine token can still be used.", source: source, needs: [.idToken]
        ) { context in
            let (token, verifier) = try await context.suppliedIDToken()
            await context.fire(
                context.exchange(idToken: respell(token), nonce: verifier),
                expecting: .refused("signature_invalid", "malformed_token", "algorithm_not_allowed"))
        }
    }

    private static let blackBoxTokens: [Attack] = [
        Attack(
            "BB-10", .idToken, .critical, "An ID token that the provider issued to another application is posted.",
            oracle: "The server responds with audience_mismatch, expired or too_old, and mints nothing.",
            source: "Salt Labs; GHSA-x6fw-778m-wr9v", needs: [.foreignIDToken]
        ) { context in
            let token = try await context.suppliedForeignIDToken()
            let (_, verifier) = try await context.nonce()
            // The supplied token can be too old as well, if the tester obtained it some time ago.
            await context.fire(
                context.exchange(idToken: token, nonce: verifier),
                expecting: .refused("audience_mismatch", "expired", "too_old"))
        },
        Attack(
            "BB-11", .oauth2, .critical,
            "A bare access token is posted, such as one that was issued to another application.",
            oracle:
                "The server responds with audience_unverifiable or audience_mismatch: it accepts no bare access token.",
            source: "RFC 9700 4.10.2; Salt Labs", needs: [.accessToken]
        ) { context in
            let token = try await context.suppliedAccessToken()
            let (_, verifier) = try await context.nonce()
            await context.fire(
                context.exchange(.accessToken(token, nonce: verifier)),
                expecting: .refused("audience_unverifiable", "audience_mismatch"))
        },
        Attack(
            "BB-12", .idToken, .critical,
            """
            A genuine ID token is posted ten times concurrently, then once more with its signature spelled \
            differently.
            """,
            oracle: "Exactly one request succeeds.", source: "CVE-2026-53518; measured: base64 tails", needs: [.idToken]
        ) { context in
            let (token, verifier) = try await context.suppliedIDToken()
            let request = context.exchange(idToken: token, nonce: verifier)
            await context.volley(Array(repeating: request, count: 10), losers: .refused("replayed"))
            let respelt = TokenSpelling.replacing(2, of: token, with: TokenSpelling.turningTail)
            await context.fire(
                context.exchange(idToken: respelt, nonce: verifier),
                expecting: .refused("replayed", "malformed_token", "signature_invalid"))
        },
    ]
}

/// Credentials that the tester supplies, or that the stand-ins issue instead.
extension AttackContext {
    /// Returns a genuine ID token for the server and the verifier of its nonce.
    func suppliedIDToken() async throws -> (token: String, nonceVerifier: String) {
        if let supplied = lab.supplies?.idToken { return supplied }
        let (nonce, verifier) = try await nonce()
        let order: JSON = ["provider": "yahoo.com", "user": "carol", "nonce": .string(nonce)]
        return (try await issued(order, "id_token"), verifier)
    }

    func suppliedForeignIDToken() async throws -> String {
        if let supplied = lab.supplies?.foreignIDToken { return supplied }
        return try await issued(["provider": "yahoo.com", "application": "hostile", "user": "carol"], "id_token")
    }

    func suppliedAccessToken() async throws -> String {
        if let supplied = lab.supplies?.accessToken { return supplied }
        return try await issued(["provider": "yahoo.com", "user": "carol"], "access_token")
    }
}

/// Functions that spell a compact JWS differently.
enum TokenSpelling {
    /// Returns the token with one part replaced, or unchanged if it does not have three parts.
    static func replacing(_ part: Int, of token: String, with make: (String) -> String) -> String {
        var parts = token.components(".")
        guard parts.count == 3 else { return token }
        parts[part] = make(parts[part])
        return parts.joined(separator: ".")
    }

    /// Returns the text with the lowest bit of its last character flipped.
    ///
    /// A lenient base64url decoder may read the same octets from it.
    static func turningTail(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let place = alphabet.firstIndex(of: last) else { return text }
        return text.dropLast() + String(alphabet[place ^ 1])
    }

    /// Returns the part with a member in front of its JSON object, or unchanged if it is not a JSON object.
    static func inserting(_ member: String, into part: String) -> String {
        guard let bytes = Base64.urlDecode(part), bytes.first == UInt8(ascii: "{") else { return part }
        return Base64.urlEncode(Array("{\(member),".utf8) + bytes.dropFirst())
    }
}
