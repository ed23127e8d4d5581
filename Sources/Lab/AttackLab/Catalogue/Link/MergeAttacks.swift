internal import Jansson

/// Merges whose caller has not proven control of the other account, or not recently.
enum MergeAttacks {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-30", "One ID token of the victim is used for two merges.",
            oracle: "The server responds with 401 account_gone: the merged uid no longer belongs to an account.",
            source: "token-exchange API: merge"
        ) { context in
            let (caller, other) = (try await context.enter(), try await context.enter(at: second))
            let proof = ["from_id_token": JSON.string(other.bearer)]
            try await context.honest(context.merge(caller.bearer, proof))
            await context.fire(context.merge(caller.bearer, proof), expecting: .unauthorized("account_gone"))
            let thief = try await context.enter()
            await context.fire(context.merge(thief.bearer, proof), expecting: .unauthorized("account_gone"))
            await context.fireEverywhere(
                other.bearer, expecting: .unauthorized("account_gone"), onlyBodiless: true)
            try await context.expectIdentities(caller, ["yahoo.com": caller.subject, second: other.subject])
        },
        .attack(
            "LK-31", "An account is merged with itself, with its own ID token as proof.", severity: .high,
            oracle: "The server responds with 403 user_mismatch and changes nothing.",
            source: "token-exchange API: merge"
        ) { context in
            let caller = try await context.enter()
            await context.fire(
                context.merge(caller.bearer, ["from_id_token": .string(caller.bearer)]),
                expecting: .denied("user_mismatch"))
            try await context.expectIdentities(caller, [caller.provider: caller.subject])
        },
        .attack(
            "LK-32", "Tokens of other projects, invalid tokens and other texts are sent as from_id_token.",
            oracle: "The server responds with 401 id_token_invalid or id_token_expired; both accounts stay.",
            source: "LK-01"
        ) { context in
            let (caller, victim) = (try await context.enter(), try await context.enter(at: second))
            let orders: [[String: JSON]] = [
                ["project_id": "another"], ["key": "foreign"], ["key": "none"], ["key": "hs256"],
                ["issued_seconds_ago": 3700], ["tenant_id": "tenant-1"],
                ["set": ["iss": "https://session.firebase.google.com/sandbox"]],
            ]
            var tokens = [victim.customToken, "abc"]
            for order in orders { tokens.append(try await context.bearer(of: victim.uid, order)) }
            for token in tokens {
                await context.fire(
                    context.merge(caller.bearer, ["from_id_token": .string(token)]),
                    expecting: .unauthorized("id_token_invalid", "id_token_expired"))
            }
            try await context.expectIdentities(victim, [second: victim.subject])
        },
        .attack(
            "LK-33", "A merge is requested with two proofs, with none, and with an empty one.", severity: .high,
            oracle: "The server responds with 400: two proofs could be of two accounts.",
            source: "token-exchange API: merge"
        ) { context in
            let (caller, victim) = (try await context.enter(), try await context.enter(at: second))
            let token = JSON.string(victim.bearer)
            let cases: [[String: JSON]] = [
                ["from_id_token": token, "pending_credential": "x"], [:], ["from_id_token": ""],
                ["from_id_token": [token]], ["from_id_token": token, "uid": .string(victim.uid)],
            ]
            for members in cases {
                await context.fire(
                    context.merge(caller.bearer, members),
                    expecting: .malformed("unknown_field", "missing_field", "malformed_body"))
            }
            try await context.expectIdentities(victim, [second: victim.subject])
        },
        .attack(
            "LK-34", "Two accounts with different identities of one provider are merged.", severity: .high,
            oracle:
                "The server responds with 409 provider_already_linked, changes nothing, and does not spend the token.",
            source: "token-exchange API: merge"
        ) { context in
            let (caller, other) = (try await context.enter(), try await context.enter())
            let third = try await context.enter(at: second)
            let proof = ["from_id_token": JSON.string(other.bearer)]
            await context.fire(context.merge(caller.bearer, proof), expecting: .conflict("provider_already_linked"))
            try await context.expectIdentities(caller, ["yahoo.com": caller.subject])
            try await context.expectIdentities(other, ["yahoo.com": other.subject])
            try await context.mustStillWork(context.merge(third.bearer, proof))
        },
        .attack(
            "LK-35", "An account with a password is merged away, by its ID token and by a conflict.",
            oracle: "The server responds with 409 merge_not_possible: the password sign-in would be lost.",
            source: "token-exchange API: merge"
        ) { context in
            let uid = try context.freshSubject()
            try await context.changeUser(uid, ["email": .string("\(uid.lowercased())@example.org")])
            let google = Wire(base: try context.standIns.addresses.google)
            let signedUp = await google.send(
                .json(
                    "/v1/accounts:signUp?key=sandbox-api-key",
                    ["email": .string("p\(uid.lowercased())@example.org"), "password": "correct horse battery"])
            ).answer
            guard let token = signedUp?["idToken"], let passwordUID = signedUp?["localId"] else {
                throw Inconclusive("No user could sign up with a password.")
            }
            let subject = try context.freshSubject()
            try await context.honest(
                context.link(token, try await context.proof(of: subject, at: second), provider: second))
            let caller = try await context.enter()
            await context.fire(
                context.merge(caller.bearer, ["from_id_token": .string(token)]),
                expecting: .conflict("merge_not_possible"))
            let holder = Member(uid: passwordUID, bearer: token, provider: second, subject: subject, customToken: "")
            let pending = try await context.conflict(caller, with: holder)
            let reply = await context.fire(
                context.merge(caller.bearer, ["pending_credential": pending["pending_credential"] ?? ""]),
                expecting: .conflict("merge_not_possible"))
            await context.expect(
                reply.answer?["pending_credential"] == nil, .minted, "The response contains another pending credential."
            )
            try await context.expectIdentities(holder, [second: subject])
        },
        .attack(
            "LK-36", "An account that an administrator disabled is merged, and merges.",
            oracle: "The server responds with 403 user_disabled; the identity stays disabled.",
            source: "CVE-2026-58422",
            needs: [.standIns, .processes, .accounts]
        ) { context in
            try await context.withServer("merging") { server, bed in
                let caller = try await context.enter(wire: server.wire)
                let other = try await context.enter(at: second, wire: server.wire)
                let pending = try await context.conflict(caller, with: other, wire: server.wire)
                try await bed.setDisabled(true, other.uid, at: server)
                let expectation = Expectation.denied("user_disabled")
                let requests = [
                    context.merge(caller.bearer, ["from_id_token": .string(other.bearer)]),
                    context.merge(caller.bearer, ["pending_credential": pending["pending_credential"] ?? ""]),
                    context.merge(other.bearer, ["from_id_token": .string(caller.bearer)]),
                ]
                for request in requests { await context.fire(request, expecting: expectation, at: server.wire) }
                let proof = try await context.proof(of: other.subject, at: second, wire: server.wire)
                await context.fire(
                    context.exchange(proof, provider: second), expecting: expectation, at: server.wire)
            }
        },
        .attack(
            "LK-37", "A merge is requested with an unknown client id and without one.",
            oracle: "The server responds with 401 unknown_client and 400 missing_field.",
            source: "token-exchange API: merge"
        ) { context in
            let (caller, other) = (try await context.enter(), try await context.enter(at: second))
            let proof = ["from_id_token": JSON.string(other.bearer)]
            await context.fire(
                context.merge(caller.bearer, proof, clientID: "unknown-client"),
                expecting: .unknownClient)
            await context.fire(
                .json("/v1/account/merge", .object(proof), bearer: caller.bearer),
                expecting: .malformed("missing_field"))
            try await context.expectIdentities(other, [second: other.subject])
        },
    )
}

extension TestBed {
    /// Runs `token-exchange accounts disable` or `enable`, as an operator does.
    func setDisabled(_ isDisabled: Bool, _ uid: String, at server: TestServer) async throws {
        let outcome = try await run([
            "accounts", isDisabled ? "disable" : "enable", "--config", "\(folder)/\(server.name).yaml", uid,
        ])
        guard outcome.exitCode == 0 else {
            throw Inconclusive("The account could not be changed: \(outcome.output.prefix(200))")
        }
    }
}
