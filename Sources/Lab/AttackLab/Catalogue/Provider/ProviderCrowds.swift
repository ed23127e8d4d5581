internal import Jansson

extension Catalogue {
    /// Concurrent sign-ins of many users, while the providers respond out of order.
    static let providerCrowds = Section(.provider, .critical, needs: [.standIns, .bulk]).attacks(
        .attack(
            "UP-10a",
            "Sixty codes of five users are posted concurrently to Yahoo and X, which delay responses.",
            oracle: "Each user gets the right uid and profile; the server never mixes up responses.",
            source: "CVE-2022-22576; CVE-2022-27782; CVE-2026-6276"
        ) { context in
            let people: [(name: String, subject: String, xID: String)] = [
                ("alice", "ALICEWJNWVNQD4GXZ5NGMZUST4", "2244994945"),
                ("bjorn", "BJORNWJNWVNQD4GXZ5NGMZUST4", "1580661436132757506"),
                ("kobayashi", "KOBAYJNWVNQD4GXZ5NGMZUST44", "783214"),
                ("carol", "CAROLWJNWVNQD4GXZ5NGMZUST4", "6253282"),
                ("mallory", "MALLORYJNWVNQD4GXZ5NGMZUS4", "1666"),
            ]
            var requests: [Request] = []
            var expected: [String] = []
            for number in 0..<30 {
                let person = people[number % people.count]
                requests.append(context.exchange(try await context.xCode(user: person.name)))
                expected.append(person.xID)
                requests.append(context.exchange(try await context.yahooCode(user: person.name)))
                expected.append(person.subject)
            }
            // Only every other response is delayed, so that responses overtake each other.
            for target in ["x.oauth2_token", "x.users_me", "yahoo.token", "yahoo.userinfo"] {
                try await context.standIns.fault(["target": .string(target), "times": 12, "delay_ms": 120])
            }
            let replies = await context.volley(
                requests, winners: 60...60, losers: .status(200))
            var uids: [String: Set<String>] = [:]
            for (reply, expected) in zip(replies, expected) {
                guard let answer = reply.answer else { continue }
                await context.expect(
                    answer["provider_uid"] == expected, .minted,
                    "A user was signed in as another user.")
                uids[expected, default: []].insert(answer["uid"] ?? "")
                let claims = context.claims(of: answer["custom_token"] ?? "")
                await context.expect(
                    claims?["uid"]?.string == answer["uid"], .minted, "A custom token is for another user.")
            }
            await context.expect(
                uids.count == 10 && uids.values.allSatisfy { $0.count == 1 }
                    && Set(uids.values.flatMap(\.self)).count == 10, .minted,
                "Two users have the same uid, or one has two."
            )
        },
        .attack(
            "UP-10b", "Fifty users post their ID tokens concurrently, some of which are invalid.",
            oracle: "The server returns the right uid for each valid token, and rejects each invalid one.",
            source: "CVE-2026-6276"
        ) { context in
            var requests: [Request] = []
            for number in 0..<50 {
                requests.append(
                    try await context.forged(subject: "CROWD\(number)WJNWVNQD4GXZ5NG") { draft in
                        if number % 5 == 4 { draft.key = .foreign }
                    })
            }
            let replies = await context.volley(requests, winners: 40...40, losers: .refused("signature_invalid"))
            for (number, reply) in replies.enumerated() where number % 5 != 4 {
                await context.expect(
                    reply.answer?["provider_uid"] == "CROWD\(number)WJNWVNQD4GXZ5NG", .minted,
                    "A user was signed in as another user.")
            }
        },
        .attack(
            "UP-10c", "Fifty token credentials of five users are posted concurrently, while X delays responses.",
            oracle: "Each user gets the right uid: the server signs each call separately.", source: "CVE-2022-27782",
            needs: [.standIns, .oauth1, .bulk]
        ) { context in
            let people: [(name: String, id: String)] = [
                ("alice", "2244994945"), ("bjorn", "1580661436132757506"), ("kobayashi", "783214"),
                ("carol", "6253282"), ("mallory", "1666"),
            ]
            var requests: [Request] = []
            for number in 0..<50 {
                let pair = try await context.pair(user: people[number % 5].name)
                requests.append(try await context.exchange(fresh: pair))
            }
            try await context.standIns.fault(["target": "x.verify_credentials", "times": 20, "delay_ms": 100])
            let replies = await context.volley(requests, winners: 50...50, losers: .status(200))
            for (number, reply) in replies.enumerated() {
                await context.expect(
                    reply.answer?["provider_uid"] == people[number % 5].id, .minted,
                    "A user was signed in as another user.")
            }
        },
    )
}
