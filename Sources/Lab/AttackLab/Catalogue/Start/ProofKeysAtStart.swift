extension Catalogue {
    static let proofKeysAtStart = Section(.start, .high, needs: [.browserFlow]).attacks(
        .attack(
            "ST-06", "A flow begins without a code challenge.", severity: .critical,
            oracle: "The application is told invalid_request; no flow begins.", source: "RFC 9700 2.1.1",
            reveals: [.challengeOptional]
        ) { strike in
            await strike.fire(changed: "code_challenge", to: nil, telling: ["invalid_request"])
            await strike.fire(changed: "code_challenge", to: "", telling: ["invalid_request"])
        },
        .attack(
            "ST-06a", "A flow begins with the method plain, whose challenge is the verifier itself.",
            severity: .critical, oracle: "The application is told invalid_request: S256 is the only method.",
            source: "RFC 9700 2.1.1", reveals: [.challengeOptional]
        ) { strike in
            await strike.fire(changed: "code_challenge_method", to: "plain", telling: ["invalid_request"])
        },
        .attack(
            "ST-06b", "A flow begins without a challenge's method, which would mean plain.",
            oracle: "The application is told invalid_request.", source: "RFC 7636 4.3", reveals: [.challengeOptional]
        ) { strike in
            await strike.fire(changed: "code_challenge_method", to: nil, telling: ["invalid_request"])
            await strike.fire(changed: "code_challenge_method", to: "", telling: ["invalid_request"])
        },
        .sweep(
            "ST-06c", "The challenge's method is no method, or S256 in another spelling.",
            oracle: "The application is told invalid_request: only the literal S256 will do.", source: "RFC 7636 4.4.1",
            reveals: [.challengeOptional],
            over: ["s256", "S256 ", "S512", "none", "PLAIN", "sha256", "S256,plain", "\u{FF33}256"]
        ) { strike, method in
            await strike.fire(changed: "code_challenge_method", to: method, telling: ["invalid_request"])
        },
        .attack(
            "ST-07", "The code challenge is not the SHA-256 of anything.", severity: .medium,
            oracle: "The application is told invalid_request.", source: "RFC 7636 4.2", reveals: [.challengeOptional]
        ) { strike in
            let right = Strike.challenge(Strike.plainVerifier)
            let tail: String = String(right.dropFirst())
            let malformed: [String] = [
                String(right.dropLast()), "\(right)A", String(repeating: "A", count: 128),
                String(repeating: "A", count: 129), "\(right)=", "+\(tail)", "/\(tail)", " \(tail)", "\u{E9}\(tail)",
                // 256 bits leave two bits of the last character unused.
                "\(right.dropLast())B", "\(right.dropLast()).", "x",
            ]
            for challenge in malformed {
                await strike.fire(changed: "code_challenge", to: challenge, telling: ["invalid_request"])
            }
        },
        .attack(
            "ST-26", "The request asks for tokens in the redirect, or for another way of answering.",
            oracle: "The application is told unsupported_response_type or invalid_request.", source: "RFC 9700 2.1.2"
        ) { strike in
            for type in ["token", "id_token", "code token", "code id_token", "none", "CODE", "code "] {
                await strike.fire(changed: "response_type", to: type, telling: ["unsupported_response_type"])
            }
            await strike.fire(changed: "response_type", to: nil, telling: ["invalid_request"])
            for mode in ["fragment", "form_post", "web_message", "jwt", "QUERY"] {
                await strike.fire(changed: "response_mode", to: mode, telling: ["invalid_request"])
            }
        },
    )
}
