internal import Jansson

/// Subjects that resemble another one, and the uids that result from unusual subjects.
enum SubjectAttacks {
    static let all: [Attack] = [formed, pairs, mixing].flatMap(\.self)

    /// Two users of one provider that must never share a uid.
    private static let twins: [SubjectTwins] = [
        SubjectTwins("a", "differ only in the case of a letter", [.foldedSubject]) { ($0 + "abc", $0 + "ABC") },
        SubjectTwins("b", "are the same text in NFC and in NFD") { ($0 + "\u{E9}", $0 + "e\u{301}") },
        SubjectTwins("c", "differ in a trailing space") { ($0, $0 + " ") },
        SubjectTwins("d", "differ in a leading space") { ($0, " " + $0) },
        SubjectTwins("e", "are the same text in NFKC") { ($0 + "fi", $0 + "\u{FB01}") },
        SubjectTwins("f", "differ in a zero-width space") { ($0 + "ab", $0 + "a\u{200B}b") },
        SubjectTwins("g", "differ in the percent-encoding of a slash") { ($0 + "/b", $0 + "%2Fb") },
        SubjectTwins("h", "differ after the 128th character") { subject in
            let long = subject + String(repeating: "x", count: 150)
            return (long + "1", long + "2")
        },
        SubjectTwins("i", "differ in a leading zero") { ("0" + $0, "00" + $0) },
        SubjectTwins("j", "differ in a dotless i") { ($0 + "i", $0 + "\u{131}") },
    ]

    private static let pairs: [Attack] = twins.map { twins in
        Attack(
            "MT-04\(twins.letter)", .minting, .critical, "Two users sign in whose subjects \(twins.sentence).",
            oracle: "The server assigns two uids; it may also reject a malformed subject.", source: "CWE-178; CWE-176",
            reveals: twins.reveals
        ) { context in
            let (one, other) = twins.make(try context.freshSubject())
            var uids: [String] = []
            for subject in [one, other] {
                if let uid = try await context.uid(of: subject) { uids.append(uid) }
            }
            await context.expect(
                Set(uids.map { Array($0.utf8) }).count == uids.count, .minted, "Two users have the same uid.")
        }
    }

    private static let forms: [SubjectForm] = [
        SubjectForm("a", "has 200 bytes", [.bareSubject]) { $0 + String(repeating: "y", count: 170) },
        SubjectForm("b", "has letters of several scripts", [.bareSubject]) { "\($0)-山田-Ж-🙂" },
        SubjectForm("c", "has slashes, dots, hashes and brackets") { "\($0)/../.#$[]" },
        SubjectForm("d", "is a path") { "../../\($0)" },
        SubjectForm("e", "has CR, LF and a tab") { "\($0)\r\n\tx" },
        SubjectForm("f", "has a NUL") { "\($0)\0admin" },
        SubjectForm("g", "has quotes and a backslash") { "\($0)\"'\\" },
        SubjectForm("h", "is SQL", [.bareSubject]) { "\($0)'; DROP TABLE accounts; --" },
        SubjectForm("i", "has 255 bytes, the maximum of OpenID Connect", [.bareSubject]) {
            $0 + String(repeating: "z", count: 255 - $0.utf8.count)
        },
        SubjectForm("j", "has 256 bytes") { $0 + String(repeating: "z", count: 256 - $0.utf8.count) },
    ]

    private static let formed: [Attack] = forms.map { form in
        Attack(
            "MT-03\(form.letter)", .minting, .high, "A user signs in whose subject \(form.sentence).",
            oracle: "The server responds with 400, or a unique uid of 1 to 128 printable characters, never truncated.",
            source: "Firebase uid rules", reveals: form.reveals
        ) { context in
            let plain = try context.freshSubject()
            let subject = form.make(plain)
            guard let uid = try await context.uid(of: subject) else { return }
            let again = try await context.uid(of: subject)
            let (shorter, base) = (
                try await context.uid(of: String(subject.dropLast())), try await context.uid(of: plain)
            )
            await context.expect(
                (1...128).contains(uid.utf16.count) && uid.utf8.allSatisfy { (0x21...0x7E).contains($0) }, .minted,
                "The uid is not 1 to 128 printable characters.")
            await context.expect(uid == again, .minted, "One user has two uids.")
            await context.expect(uid != shorter && uid != base, .minted, "Two users have the same uid.")
        }
    }

    private static let mixing = Section(.minting, .critical).attacks(
        .attack(
            "MT-05a", "A user signs in whose subject at Yahoo equals another user's id at X.",
            oracle: "The server assigns two uids: a subject is unique only within its provider.",
            source: "RFC 8725 3.8",
            needs: [.standIns, .oauth1], reveals: [.bareSubject]
        ) { context in
            let x = try await context.honest(try await context.exchange(fresh: try await context.pair()))
            let yahoo = try await context.uid(of: "2244994945")
            await context.expect(x["uid"] != nil && x["uid"] != yahoo, .minted, "Two users have the same uid.")
        },
        .attack(
            "MT-05b",
            "Users sign in whose subjects at Yahoo are `twitter.com:2244994945`, `anonymous:x` and uids of others.",
            oracle: "Each user gets a separate uid: a subject cannot inject the separator.",
            source: "delimiter injection",
            reveals: [.bareSubject]
        ) { context in
            let victim = try await context.mint().token.uid ?? ""
            let subjects = [
                "twitter.com:2244994945", "anonymous:x", victim, ":" + victim, "yahoo.com:", "x:twitter.com", "~",
                "~" + String(repeating: "A", count: 43),
            ]
            var uids: Set<String> = [victim, "twitter.com:2244994945", "anonymous:x"]
            for subject in subjects {
                guard let uid = try await context.uid(of: subject) else { continue }
                await context.expect(uids.insert(uid).inserted, .minted, "The uid \(uid) belongs to another user.")
            }
        },
        .attack(
            "MT-05c", "Users of two providers sign in with the same subject.", oracle: "The server assigns two uids.",
            source: "RFC 8725 3.8", needs: [.standIns, .discovery]
        ) { context in
            let subject = try context.freshSubject()
            let (one, other) = (
                try await context.enter(subject), try await context.enter(subject, at: AttackContext.secondProvider)
            )
            await context.expect(one.uid != other.uid, .minted, "Two users have the same uid.")
        },
        .attack(
            "MT-08", "One user signs in ten times, and others in between.", severity: .high,
            oracle: "The server returns one uid and fresh tokens, and never repeats a response.",
            source: "response mix-up"
        ) { context in
            let subject = try context.freshSubject()
            let first = try await context.mint(subject)
            for _ in 0..<10 {
                let other = try await context.mint()
                let again = try await context.mint(subject)
                await context.expect(again.token.uid == first.token.uid, .minted, "One user has two uids.")
                await context.expect(other.token.uid != first.token.uid, .minted, "Two users have the same uid.")
                let issued = again.token.claims["iat"]?.integer ?? 0
                await context.expect(
                    abs(issued - context.lab.now) <= 2, .minted, "The response contains an earlier token.")
            }
            try await Task.sleep(for: .milliseconds(1100))
            let last = try await context.mint(subject)
            await context.expect(
                last.answer["custom_token"] != first.answer["custom_token"], .minted, "A token was issued twice.")
        },
        .attack(
            "MT-09", "Fifty users sign in concurrently.", oracle: "Each user gets the right uid, name and token.",
            source: "concurrency bleed", needs: [.standIns, .bulk]
        ) { context in
            var requests: [Request] = []
            var subjects: [String] = []
            for _ in 0..<50 {
                let subject = try context.freshSubject()
                subjects.append(subject)
                let proof = try await context.proof(of: subject) { $0.claims["name"] = .text("Name of \(subject)") }
                requests.append(context.exchange(proof))
            }
            let replies = await context.volley(requests, winners: 50...50, losers: .status(200))
            var uids: [String: String] = [:]
            for (subject, reply) in zip(subjects, replies) {
                guard let answer = reply.answer else { continue }
                uids[subject] = try MintedToken(answer["custom_token"] ?? "").uid
                await context.expect(
                    answer["uid"] == uids[subject] && (answer["provider_uid"] ?? subject) == subject, .minted,
                    "A request got the response for another user.")
            }
            await context.expect(Set(uids.values).count == 50, .minted, "Two users have the same uid.")
            for subject in subjects.prefix(10) {
                let alone = try await context.uid(of: subject)
                await context.expect(alone == uids[subject], .minted, "A user got another uid in sequential sign-ins.")
            }
        },
    )
}

extension AttackContext {
    /// Returns the uid of the user with this subject; `nil` if the subject is refused as malformed.
    func uid(of subject: String) async throws -> String? {
        let request = exchange(try await proof(of: subject))
        let answer = await lab.server.send(request, from: source).answer
        guard let answer, answer.status == 200 else {
            await fire(request, expecting: .refused("malformed_token", "replayed"))
            return nil
        }
        await secret(answer["custom_token"])
        return try MintedToken(answer["custom_token"] ?? "").uid
    }
}
