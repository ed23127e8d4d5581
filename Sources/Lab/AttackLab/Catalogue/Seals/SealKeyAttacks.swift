internal import Jansson
internal import OpenSSL

/// Attacks with a stolen seal key, which is stored next to the database and in its backups, and no other secret.
enum SealKeyAttacks {
    static let all: [Attack] = everywhere + narratives

    /// Expects any refusal that discloses nothing.
    private static let refused = Expectation(statuses: Set(400...415))
    /// Expects a refusal; a redirect to a provider, or to the application with an error, is permitted.
    private static let ledAway = Expectation(statuses: Set(400...415).union([200, 303]))

    private static let everywhere: [Attack] = SealForger.kinds.map { letter, kind in
        Attack(
            "KY-15\(letter)", .keys, .critical,
            "An attacker with the seal key forges `\(kind)` values for a victim, and posts each to all endpoints.",
            oracle:
                "The server issues no token and links nothing: a sealed value does not prove the caller's identity.",
            source: "CVE-2023-27524; CVE-2020-0688", needs: [.sealKey],
            reveals: kind == "pending_credential" ? [.identitySealed] : []
        ) { context in
            let member = context.lab.offers.isSuperset(of: [.standIns, .accounts]) ? try await context.enter() : nil
            let key = try context.lab.needed(context.lab.sealKey, "seal key")
            let forger = try context.forger(for: member)
            let doors = SealDoors(context: context, bearer: member?.bearer, forger: forger)
            for forged in try forger.forgeries(of: kind, with: key) {
                let text = try key.seal(forged.content, as: forged.kind, for: forged.holder)
                for request in doors.requests(with: text) { await context.fire(request, expecting: refused) }
                for visit in doors.visits(with: text) { await context.fire(visit, expecting: ledAway) }
            }
            if let member { try await context.expectIdentities(member, [member.provider: member.subject]) }
        }
    }

    private static let narratives = Section(.keys, .critical, needs: [.standIns, .accounts, .sessions, .sealKey])
        .attacks(
            .attack(
                "KY-16a",
                "An attacker with the seal key forges a session with the victim's uid as intent and finishes it.",
                oracle:
                    "The server responds with 403 user_mismatch to the attacker, and permits no sign-in at EXCHANGE.",
                source: "CVE-2023-27524"
            ) { context in
                let (victim, attacker) = (try await context.enter(), try await context.enter())
                for purpose in ["link", "reauthenticate"] {
                    var begun = try await context.session()
                    let url = try await context.callbackURL(of: begun, as: "mallory")
                    begun.session = try context.forgedSession(
                        state: begun.state ?? "", redirectURI: begun.redirectURI,
                        intent: ["purpose": .string(purpose), "uid": .string(victim.uid)])
                    let credential = begun.credential(url)
                    let request =
                        purpose == "link"
                        ? context.link(attacker.bearer, credential)
                        : context.reauthenticate(attacker.bearer, credential)
                    await context.fire(context.exchange(credential), expecting: .refused())
                    await context.fire(request, expecting: .denied("user_mismatch"))
                }
                for member in [victim, attacker] {
                    try await context.expectIdentities(member, [member.provider: member.subject])
                }
            },
            .attack(
                "KY-16b", "An attacker with the seal key posts a stolen ID token with forged nonce verifiers.",
                oracle:
                    "The server responds with 400 nonce_mismatch: the seal key does not reveal the verifier.",
                source: "RFC 9700 4.5.3.2", needs: [.standIns, .sessions, .sealKey]
            ) { context in
                try await context.expectForgerWorks()
                let (request, issued) = try await context.genuine()
                let key = try context.lab.needed(context.lab.sealKey, "seal key")
                let forger = try context.forger(for: nil)
                for forged in try forger.forgeries(of: "nonce", with: key) {
                    let verifier = try key.seal(forged.content, as: forged.kind, for: forged.holder)
                    await context.fire(
                        context.exchange(idToken: issued["id_token"]?.string ?? "", nonce: verifier),
                        expecting: .refused("nonce_mismatch"))
                }
                try await context.mustStillWork(request)
            },
            .attack(
                "KY-16c",
                "An attacker with the seal key forges the form that approves the victim's device, for another browser.",
                oracle:
                    "a 400 page: only the first browser may confirm; the device continues to wait.",
                source: "CVE-2026-45337", needs: [.standIns, .deviceGrant, .sealKey]
            ) { context in
                let key = try context.lab.needed(context.lab.sealKey, "seal key")
                let (device, victim) = (try await context.device(), DeviceVisitor(context))
                let form = try await victim.verify(device)
                let forger = try context.forger(for: nil)
                let cookie = try key.seal(["id": .string(forger.id)], as: "browser", for: "device")
                for payload in ["", Base64.urlEncode(SHA256.hash(Array(form.utf8)))] {
                    let content: JSON = [
                        "step": "approve", "user_code": .string(device.userCode.replacing("-", with: "")),
                        "payload": .string(payload), "provider": "Yahoo", "person": "Victim",
                        "exp": .integer(context.lab.now + 600), "iat": .integer(context.lab.now),
                    ]
                    let forged = try key.seal(content, as: "device_form", for: forger.id)
                    for decision in ["approve", "deny"] {
                        await context.fire(
                            .form("/device", [("flow", forged), ("decision", decision)]).with(
                                "Cookie", "device=\(cookie)"),
                            expecting: .page())
                    }
                }
                await context.expectWaiting(device)
                _ = try await victim.answer(to: await victim.deciding("approve", form: form), status: 200)
            },
        )
}

extension AttackContext {
    /// Forges values for a victim without an account, for an attacker who may have one.
    fileprivate func forger(for attacker: Member?) throws -> SealForger {
        let subject = try freshSubject()
        return SealForger(
            clientID: lab.application.clientID, provider: lab.application.provider, subject: subject,
            attackerUID: attacker?.uid ?? "attacker", victimUID: "\(lab.application.provider):\(subject)",
            redirectURI: lab.application.yahooRedirectURI, now: lab.now,
            id: Base64.urlEncode(try SecureRandom.bytes(32)), state: Base64.urlEncode(try SecureRandom.bytes(32)))
    }

    /// Expects that the server accepts a forged nonce of an honest user.
    ///
    /// Otherwise forged values might not open at the server, and the attacks with the seal key would show nothing.
    fileprivate func expectForgerWorks() async throws {
        let key = try lab.needed(lab.sealKey, "seal key")
        for forged in try forger(for: nil).forgeries(of: "nonce", with: key) {
            let verifier = try key.seal(forged.content, as: forged.kind, for: forged.holder)
            let token = try await draft(subject: try freshSubject(), nonce: Self.challenge(verifier))
                .token(by: standIns)
            try await honest(exchange(idToken: token, nonce: verifier))
        }
    }

    /// Forges a session for a flow in progress, with an intent for which the caller has no bearer token.
    fileprivate func forgedSession(state: String, redirectURI: String, intent: JSON) throws -> String {
        let key = try lab.needed(lab.sealKey, "seal key")
        return try key.seal(
            [
                "id": .string(Base64.urlEncode(try SecureRandom.bytes(32))),
                "provider": .string(lab.application.provider),
                "redirect_uri": .string(redirectURI), "iat": .integer(lab.now), "exp": .integer(lab.now + 600),
                "state": .string(state), "nonce": "a-nonce-of-mine", "intent": intent,
            ], as: "session", for: lab.application.clientID)
    }
}
