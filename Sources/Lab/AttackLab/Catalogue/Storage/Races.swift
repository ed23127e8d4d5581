internal import Jansson

extension Catalogue {
    static let races = Section(.storage, .critical, needs: [.standIns, .bulk]).attacks(
        .attack(
            "SR-01a", "One ID token is posted two hundred times concurrently.",
            oracle: "Exactly one request signs in: one statement writes the record and detects an existing one.",
            source: "CVE-2026-47386; CVE-2026-1035; CVE-2026-20779", reveals: [.checkThenAct, .notRemembered]
        ) { context in
            let (request, _) = try await context.genuine()
            await context.volley(Array(repeating: request, count: 200), losers: .refused("replayed"))
        },
        .attack(
            "SR-01b", "One handoff code is redeemed two hundred times concurrently.",
            oracle: "Exactly one request signs in.",
            source: "goiabada #77; CVE-2026-53518", needs: [.standIns, .bulk, .browserFlow],
            reveals: [.checkThenAct, .handoffReused]
        ) { context in
            let (code, flow) = try await context.handoff()
            await context.volley(
                Array(repeating: context.redeem(code, flow), count: 200), losers: .refused("replayed"))
        },
        .attack(
            "SR-02",
            "Twenty ID tokens are posted ten times each, concurrently and interleaved.",
            oracle: "Twenty requests sign in: an existing record is a replay and is never updated.",
            source: "CVE-2020-15222; CVE-2020-5300", reveals: [.checkThenAct, .notRemembered]
        ) { context in
            var requests: [Request] = []
            for _ in 0..<20 { requests.append(try await context.genuine().request) }
            let mixed = (0..<200).map { requests[$0 % 20] }
            await context.volley(mixed, winners: 20...20, losers: .refused("replayed"))
            for request in requests { await context.fire(request, expecting: .refused("replayed")) }
        },
        .attack(
            "SR-17", "Two ID tokens with the same nonce are posted a hundred times each concurrently.",
            oracle: "Exactly one request signs in: it spends the nonce.", source: "RFC 9700 4.5.3.2",
            needs: [.standIns, .bulk, .processes]
        ) { context in
            let requests = try await context.rivals()
            await context.volley(requests, losers: .refused("replayed", "nonce_mismatch"))
        },
        .attack(
            "SR-18", "The first sign-in of a user is sent fifty times concurrently, with fifty ID tokens.",
            oracle: "All sign in to the same account, and only one is reported as its first sign-in.",
            source: "CWE-362",
            needs: [.standIns, .bulk, .processes]
        ) { context in
            let subject = "RACE" + Base64.urlEncode(context.lab.now.description + context.attack.id)
            var requests: [Request] = []
            for _ in 0..<50 { requests.append(try await context.forged(subject: subject) { _ in }) }
            let replies = await context.volley(requests, winners: 50...50, losers: .storeUnavailable)
            let answers = replies.compactMap(\.answer)
            let uids = Set(answers.compactMap { $0["uid"] })
            await context.expect(uids.count == 1, .raced, "One user has \(uids.count) accounts.")
            let first = answers.count { $0.json?["is_new_user"]?.bool == true }
            await context.expect(first == 1, .raced, "\(first) sign-ins of one user were reported as the first.")
        },
    )

    static let spellings = Section(.storage, .critical).attacks(
        .attack(
            "SR-14a",
            "Users sign in whose subjects a database might treat as equal: by case, by zeros, as numbers, with spaces.",
            oracle: "Each user gets a separate account: the server compares subjects byte by byte.",
            source: "CWE-178; CWE-697", reveals: [.foldedSubject]
        ) { context in
            let tag = String(context.lab.now)
            try await context.expectDistinct([
                "\(tag)abc", "\(tag)ABC", "\(tag)Abc", "00\(tag)", tag, "0\(tag)", "\(tag).0", "\(tag)e0", "+\(tag)",
                "\(tag)_", "\(tag)%", "\(tag)'", "\(tag)*",
            ])
        },
        .attack(
            "SR-14b",
            "Users sign in whose subjects look alike: composed and decomposed letters, spaces, NUL, the Kelvin sign.",
            oracle: "The server refuses each, or assigns a separate account.", source: "CWE-176; RFC 8265",
            needs: [.processes]
        ) { context in
            let tag = String(context.lab.now)
            try await context.expectDistinct([
                "\(tag)K", "\(tag)\u{212A}", "\(tag)\u{E9}", "\(tag)e\u{301}", "\(tag)\u{FB01}", "\(tag)fi", "\(tag)a ",
                "\(tag)a", " \(tag)a", "\(tag)a\u{0}", "\(tag)a\u{0}b", "\(tag)a\u{200B}", "\(tag)\u{430}",
            ])
        },
        .attack(
            "SR-14c", "A handoff code is posted with spaces, in another case, and with padding at its end.",
            severity: .high,
            oracle: "The server refuses these, and the code stays valid: it finds codes by their digests.",
            source: "HO-08", needs: [.standIns, .browserFlow]
        ) { context in
            let (code, flow) = try await context.handoff()
            for other in [code.lowercased(), code + " ", code + "=", code + "A"] where other != code {
                await context.fire(
                    context.redeem(other, flow),
                    expecting: .refused().or(.malformed("malformed_body")).or(.refused("replayed")))
            }
            try await context.mustStillWork(context.redeem(code, flow))
        },
    )
}

extension AttackContext {
    /// Signs in with each of these subjects, which must get different accounts.
    fileprivate func expectDistinct(_ subjects: [String]) async throws {
        var owners: [String: String] = [:]
        for subject in subjects {
            let reply = await lab.server.send(try await forged(subject: subject) { _ in }, from: source)
            guard let answer = reply.answer else { throw Inconclusive("A sign-in got no response.") }
            guard answer.status == 200, let uid = answer["uid"] else {
                await expect(
                    answer.status == 400, .wrongAnswer, "An unusual subject got status \(answer.status).")
                continue
            }
            if let owner = owners[uid] {
                await found(.minted, "\(subject.debugDescription) signs in as \(owner.debugDescription).")
            }
            owners[uid] = subject
        }
        if owners.count < 2 { throw Inconclusive("Fewer than two of the subjects could sign in.") }
    }
}

extension AttackContext {
    /// Returns 200 requests that post two users' ID tokens with the same nonce alternately.
    func rivals() async throws -> [Request] {
        let (nonce, verifier) = try await nonce()
        var tokens: [String] = []
        for user in ["alice", "bjorn"] {
            let order: JSON = ["provider": "yahoo.com", "user": .string(user), "nonce": .string(nonce)]
            tokens.append(try await issued(order, "id_token"))
        }
        return (0..<200).map { exchange(idToken: tokens[$0 % 2], nonce: verifier) }
    }
}
