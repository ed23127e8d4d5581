internal import Jansson

/// Access tokens beside an ID token that does not vouch for them.
enum Substitutions {
    static let attacks: [Attack] = [
        Attack(
            "IDT-37a", .idToken, .critical, "A valid ID token is posted with the access token of another person.",
            oracle: "`at_hash` is compared: invalid_grant, at_hash_mismatch; the access token is not used.",
            source: "OIDC Core 3.1.3.6; OIDF invalid-athash; RFC 9700 4.6", reveals: [.accessTokenHashIgnored]
        ) { strike in
            let mark = try await strike.mark()
            let other = try await strike.genuine(user: "mallory").issued["access_token"]?.string ?? ""
            let (nonce, verifier) = try await strike.nonce()
            let issued = try await strike.standIns.issue([
                "provider": "yahoo.com", "user": "alice", "nonce": .string(nonce),
            ])
            await strike.fire(
                strike.exchange(idToken: issued["id_token"]?.string ?? "", nonce: verifier, accessToken: other),
                expecting: .refused("at_hash_mismatch"))
            try await strike.expectCalls(["yahoo.userinfo": 0], since: mark)
        },
        unvouched("IDT-37b", "`at_hash` is that of another access token.") { _ in "AAAAAAAAAAAAAAAAAAAAAA" },
        unvouched("IDT-38a", "`at_hash` is missing.", reveals: [.accessTokenHashOptional]) { _ in nil },
        unvouched("IDT-38b", "`at_hash` is empty.") { _ in "" },
        unvouched("IDT-38c", "`at_hash` is null.") { _ in .null },
        unvouched("IDT-38d", "`at_hash` is a list with the right one in it.") { [.text(hash($0, 16))] },
        unvouched("IDT-38e", "`at_hash` is the whole hash.") { .text(hash($0, 32)) },
        unvouched("IDT-38f", "`at_hash` is the beginning of the right one.") { .text(hash($0, 8)) },
        unvouched("IDT-38g", "`at_hash` is the right one of another length, as of SHA-512.") {
            .text(hash($0, 16) + hash($0, 16))
        },
        unvouched("IDT-38h", "`at_hash` is 0.") { _ in 0 },
    ]

    private static func hash(_ token: String, _ count: Int) -> String {
        Base64.urlEncode(AccessTokenDigest.sha256(token).prefix(count))
    }

    private static func unvouched(
        _ id: String, _ what: String, reveals: Set<Mistake> = [],
        _ make: @escaping @Sendable (String) -> Forged?
    ) -> Attack {
        Attack(
            id, .idToken, .high, "An access token of the same person is posted beside an ID token whose \(what)",
            oracle: "What cannot be checked does not pass: at_hash_mismatch; the access token is not used.",
            source: "OIDC Core 3.1.3.6; OIDF missing-athash; CVE-2026-28498",
            reveals: reveals.union([.accessTokenHashIgnored])
        ) { strike in
            let mark = try await strike.mark()
            let access = try await strike.genuine(user: "mallory").issued["access_token"]?.string ?? ""
            let request = try await strike.forged(subject: "MALLORYJNWVNQD4GXZ5NGMZUS4", accessToken: access) {
                $0.claims["at_hash"] = make(access)
            }
            await strike.fire(request, expecting: .refused("at_hash_mismatch"))
            try await strike.expectCalls(["yahoo.userinfo": 0], since: mark)
        }
    }
}
