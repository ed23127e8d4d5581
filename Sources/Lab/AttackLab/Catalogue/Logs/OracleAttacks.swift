internal import Jansson

/// Information in the texts and the timing of refusals.
enum OracleAttacks {
    static let all = Section(.logs, .low, needs: [.standIns, .deviceGrant, .bulk]).attacks(
        .attack(
            "LG-02a", "Unknown device codes and those of another application are compared by text and time.",
            oracle: "The server sends the same response in the same time.", source: "CVE-2025-54999"
        ) { context in
            let device = try await context.device(clientID: context.lab.application.otherClientID)
            let own = context.lab.application.clientID
            let unknown = Device(clientID: own, code: String(device.code.reversed()), userCode: "", lifetime: 0)
            await context.expectAlike(
                context.poll(unknown), context.poll(device, clientID: own), expecting: .refused("code_rejected"))
        },
        .attack(
            "LG-02b",
            "Bearer tokens with a bad signature for existing and unknown users are compared by text and time.",
            oracle: "The server sends the same response in the same time.", source: "CVE-2025-54999",
            needs: [.standIns, .accounts, .bulk]
        ) { context in
            let member = try await context.enter()
            let known = try await context.bearer(of: member.uid, ["key": "foreign"])
            let unknown = try await context.bearer(of: "yahoo.com:" + (try context.freshSubject()), ["key": "foreign"])
            await context.expectAlike(
                context.account(known), context.account(unknown), expecting: .unauthorized("id_token_invalid"))
        },
        .attack(
            "LG-02c", "Unknown handoff codes and those of another application are compared by time.",
            oracle: "The server responds with code_rejected in the same time.", source: "CVE-2025-54999",
            needs: [.standIns, .browserFlow, .bulk]
        ) { context in
            // Five failures invalidate a code, which is then as unknown as the other.
            let (code, flow) = try await context.handoff(
                clientID: context.lab.application.otherClientID, redirectURI: context.lab.application.otherRedirectURI)
            let own = try await context.begin()
            let stolen = Flow(
                browser: flow.browser, codeVerifier: own.codeVerifier, state: own.state, redirectURI: own.redirectURI,
                clientID: own.clientID, authorizationURL: own.authorizationURL)
            let unknown = String(code.dropLast(4)) + "AAAA"
            await context.expectAlike(
                context.redeem(unknown, stolen), context.redeem(code, stolen), expecting: .refused("code_rejected"),
                comparesText: false)
        },
        .attack(
            "LG-03a", "The refusals of bearer tokens with different faults are compared.",
            oracle: "The server sends one text for all, which never says which check failed.", source: "oracle",
            needs: [.standIns, .accounts]
        ) { context in
            let orders: [[String: JSON]] = [
                ["key": "foreign"], ["header": ["kid": "unknown-key"]], ["header_remove": ["kid"]],
                ["project_id": "other"],
                ["set": ["sub": "", "user_id": ""]], ["remove": ["auth_time"]], ["set": ["exp": 2_100_000_000]],
            ]
            var texts: Set<[String]> = []
            for order in orders {
                let bearer = try await context.bearer(of: "another-uid", order)
                let reply = await context.fire(
                    context.account(bearer), expecting: .unauthorized("id_token_invalid"))
                if let answer = reply.answer { texts.insert(answer.words) }
            }
            await context.expect(texts.count == 1, .wrongAnswer, "\(texts.count) texts distinguish the refusals.")
        },
        .attack(
            "LG-03b", "The refusals of ID tokens with different invalid signatures are compared.",
            oracle: "The server sends one text for all refusals with the same reason.",
            source: "oracle; Bleichenbacher", needs: [.standIns],
            reveals: [.signatureUnchecked]
        ) { context in
            var texts: Set<[String]> = []
            for length in [64, 64, 32, 96] {
                let request = try await context.forged { draft in
                    draft.key = .custom { _ in [UInt8](repeating: UInt8(length), count: length) }
                }
                let reply = await context.fire(request, expecting: .refused("signature_invalid", "malformed_token"))
                if let answer = reply.answer, answer["reason"] == "signature_invalid" { texts.insert(answer.words) }
            }
            await context.expect(texts.count == 1, .wrongAnswer, "\(texts.count) texts distinguish the refusals.")
        },
        .attack(
            "LG-03c", "Device pages for unknown codes, codes of another browser and used codes are compared.",
            oracle:
                "The server shows the same form with the same text, which does not reveal which codes exist.",
            source: "oracle; RFC 8628 5.1", needs: [.standIns, .deviceGrant]
        ) { context in
            let answered = try await context.device()
            try await DeviceVisitor(context).approve(answered)
            let visitor = DeviceVisitor(context)
            let form = try await visitor.open()
            var texts: Set<String> = []
            for code in [answered.userCode, "BCDF-BCDF"] {
                let reply = await context.fire(await visitor.typing(code, form: form), expecting: .page())
                let text = reply.answer?.text ?? ""
                let field = reply.answer?.input("flow") ?? "-"
                texts.insert(text.replacing(field, with: "").replacing(code, with: ""))
            }
            await context.expect(texts.count == 1, .wrongAnswer, "\(texts.count) pages distinguish the codes.")
        },
    )
}

extension Answer {
    /// Returns a refusal without the parts that differ at each request.
    var words: [String] {
        ["error", "error_description", "reason", "code", "retry"].map { self[$0] ?? "" } + [String(status)]
    }
}

extension AttackContext {
    /// Expects that two requests get the same response, in times that differ by at most some milliseconds.
    ///
    /// A busy machine causes noise, so that a difference counts only if it occurs three times.
    func expectAlike(
        _ one: Request, _ other: Request, expecting expectation: Expectation, comparesText: Bool = true
    ) async {
        var difference = Duration.zero
        for _ in 0..<3 {
            var times: [[Duration]] = [[], []]
            var texts: Set<[String]> = []
            for _ in 0..<30 {
                for (index, request) in [one, other].enumerated() {
                    guard let answer = await fire(request, expecting: expectation).answer else { return }
                    times[index].append(answer.duration)
                    texts.insert(answer.words)
                }
            }
            await expect(!comparesText || texts.count == 1, .wrongAnswer, "The texts distinguish the two requests.")
            // The fastest requests are the least disturbed.
            let quick = times.map { $0.sorted()[4] }
            difference = quick[0] > quick[1] ? quick[0] - quick[1] : quick[1] - quick[0]
            if difference < .milliseconds(5) { return }
        }
        await found(.slow, "The times distinguish the two requests, by \(difference).")
    }
}
