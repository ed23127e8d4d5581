internal import Jansson

/// Information in the texts and the timing of refusals.
enum OracleAttacks {
    static let all = Section(.logs, .low, needs: [.standIns, .deviceGrant, .bulk]).attacks(
        .attack(
            "LG-02a", "Unknown device codes and those of another application are compared by text and time.",
            oracle: "The server sends the same response in the same time.", source: "CVE-2025-54999"
        ) { strike in
            let device = try await strike.device(clientID: strike.lab.application.otherClientID)
            let own = strike.lab.application.clientID
            let unknown = Device(clientID: own, code: String(device.code.reversed()), userCode: "", lifetime: 0)
            await strike.expectAlike(
                strike.poll(unknown), strike.poll(device, clientID: own), expecting: .refused("code_rejected"))
        },
        .attack(
            "LG-02b",
            "Bearer tokens with a bad signature for existing and unknown users are compared by text and time.",
            oracle: "The server sends the same response in the same time.", source: "CVE-2025-54999",
            needs: [.standIns, .accounts, .bulk]
        ) { strike in
            let member = try await strike.enter()
            let known = try await strike.bearer(of: member.uid, ["key": "foreign"])
            let unknown = try await strike.bearer(of: "yahoo.com:" + (try strike.freshSubject()), ["key": "foreign"])
            await strike.expectAlike(
                strike.account(known), strike.account(unknown), expecting: .unauthorized("id_token_invalid"))
        },
        .attack(
            "LG-02c", "Unknown handoff codes and those of another application are compared by time.",
            oracle: "The server responds with code_rejected in the same time.", source: "CVE-2025-54999",
            needs: [.standIns, .browserFlow, .bulk]
        ) { strike in
            // Five failures invalidate a code, which is then as unknown as the other.
            let (code, flow) = try await strike.handoff(
                clientID: strike.lab.application.otherClientID, redirectURI: strike.lab.application.otherRedirectURI)
            let own = try await strike.begin()
            let stolen = Flow(
                browser: flow.browser, codeVerifier: own.codeVerifier, state: own.state, redirectURI: own.redirectURI,
                clientID: own.clientID, authorizationURL: own.authorizationURL)
            let unknown = String(code.dropLast(4)) + "AAAA"
            await strike.expectAlike(
                strike.redeem(unknown, stolen), strike.redeem(code, stolen), expecting: .refused("code_rejected"),
                comparesText: false)
        },
        .attack(
            "LG-03a", "The refusals of bearer tokens with different faults are compared.",
            oracle: "The server sends one text for all, which never says which check failed.", source: "oracle",
            needs: [.standIns, .accounts]
        ) { strike in
            let orders: [[String: JSON]] = [
                ["key": "foreign"], ["header": ["kid": "unknown-key"]], ["header_remove": ["kid"]],
                ["project_id": "other"],
                ["set": ["sub": "", "user_id": ""]], ["remove": ["auth_time"]], ["set": ["exp": 2_100_000_000]],
            ]
            var texts: Set<[String]> = []
            for order in orders {
                let bearer = try await strike.bearer(of: "another-uid", order)
                let reply = await strike.fire(
                    strike.account(bearer), expecting: .unauthorized("id_token_invalid"))
                if let answer = reply.answer { texts.insert(answer.words) }
            }
            await strike.expect(texts.count == 1, .wrongAnswer, "\(texts.count) texts distinguish the refusals.")
        },
        .attack(
            "LG-03b", "The refusals of ID tokens with different invalid signatures are compared.",
            oracle: "The server sends one text for all refusals with the same reason.",
            source: "oracle; Bleichenbacher", needs: [.standIns],
            reveals: [.signatureUnchecked]
        ) { strike in
            var texts: Set<[String]> = []
            for length in [64, 64, 32, 96] {
                let request = try await strike.forged { draft in
                    draft.key = .custom { _ in [UInt8](repeating: UInt8(length), count: length) }
                }
                let reply = await strike.fire(request, expecting: .refused("signature_invalid", "malformed_token"))
                if let answer = reply.answer, answer["reason"] == "signature_invalid" { texts.insert(answer.words) }
            }
            await strike.expect(texts.count == 1, .wrongAnswer, "\(texts.count) texts distinguish the refusals.")
        },
        .attack(
            "LG-03c", "Device pages for unknown codes, codes of another browser and used codes are compared.",
            oracle:
                "The server shows the same form with the same text, which does not reveal which codes exist.",
            source: "oracle; RFC 8628 5.1", needs: [.standIns, .deviceGrant]
        ) { strike in
            let answered = try await strike.device()
            try await DeviceVisitor(strike).approve(answered)
            let visitor = DeviceVisitor(strike)
            let form = try await visitor.open()
            var texts: Set<String> = []
            for code in [answered.userCode, "BCDF-BCDF"] {
                let reply = await strike.fire(await visitor.typing(code, form: form), expecting: .page())
                let text = reply.answer?.text ?? ""
                let field = reply.answer?.input("flow") ?? "-"
                texts.insert(text.replacing(field, with: "").replacing(code, with: ""))
            }
            await strike.expect(texts.count == 1, .wrongAnswer, "\(texts.count) pages distinguish the codes.")
        },
    )
}

extension Answer {
    /// Returns a refusal without the parts that differ at each request.
    var words: [String] {
        ["error", "error_description", "reason", "code", "retry"].map { self[$0] ?? "" } + [String(status)]
    }
}

extension Strike {
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
