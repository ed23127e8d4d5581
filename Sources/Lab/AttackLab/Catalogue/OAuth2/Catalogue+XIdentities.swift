internal import Jansson

extension Catalogue {
    /// Whose account a person at X gets.
    static let xIdentities = Section(.oauth2, .critical).attacks(
        .attack(
            "X2-08", "A person at X has the confirmed e-mail address of another person at Yahoo.",
            oracle: "Two uids: an address never joins accounts.", source: "nOAuth; CVE-2026-55075",
            reveals: [.joinedByEmail]
        ) { strike in
            let yahoo = try await strike.honest(strike.exchange(try await strike.yahooCode()))
            let code = try await strike.xCode(user: "mallory")
            try await strike.standIns.fault([
                "target": "x.users_me", "times": 1,
                "set": ["data": ["id": "1666", "username": "mallory", "confirmed_email": "alice@example.com"]],
            ])
            let x = try await strike.honest(strike.exchange(code))
            await strike.expect(
                yahoo["uid"] != nil && x["uid"] != yahoo["uid"] && x["provider_uid"] == "1666", .minted,
                "The person at X was signed in as the one at Yahoo.")
        },
        .attack(
            "X2-09", "A person at Yahoo has as `sub` the number of another person at X.",
            oracle: "Two uids: the provider is part of them.", source: "RFC 8725 3.8", reveals: [.bareSubject]
        ) { strike in
            let x = try await strike.honest(strike.exchange(try await strike.xCode()))
            let yahoo = try await strike.honest(try await strike.forged(subject: "2244994945") { _ in })
            await strike.expect(
                x["uid"] != nil && x["uid"] != yahoo["uid"], .minted,
                "The person at Yahoo was signed in as the one at X.")
            let prefixed = try await strike.honest(try await strike.forged(subject: "twitter.com:2244994945") { _ in })
            await strike.expect(
                x["uid"] != prefixed["uid"], .minted, "A subject with a prefix was signed in as the one at X.")
        },
        .attack(
            "X2-15", "The number at X passes 2^53, and its neighbours are other people.", severity: .high,
            oracle: "The id is text, digit by digit.", source: "RFC 8259 6; X documentation of ids"
        ) { strike in
            var uids: Set<String> = []
            for id in ["1580661436132757506", "1580661436132757507", "1580661436132757505", "9007199254740993"] {
                try await strike.standIns.fault([
                    "target": "x.users_me", "times": 1, "set": ["data": ["id": .string(id), "username": "a"]],
                ])
                let answer = try await strike.honest(strike.exchange(try await strike.xCode()))
                await strike.expect(answer["provider_uid"] == id, .minted, "The id came out as another.")
                uids.insert(answer["uid"] ?? "")
            }
            await strike.expect(uids.count == 4, .minted, "Two people have one uid.")
        },
    )
}
