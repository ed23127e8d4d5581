internal import Jansson

/// The contents of custom tokens.
enum MintingAttacks {
    static let all = Section(.minting, .medium).attacks(
        .attack(
            "MT-02", "A custom token is parsed by the tester's own code.", severity: .high,
            oracle:
                "RS256, `typ` JWT, iss = sub = the service account, Identity Toolkit's `aud`, an hour at most, signed.",
            source: "firebase-admin token-generator", reveals: [.longLivedToken]
        ) { context in
            let bed = try context.lab.needed(context.lab.testBed, "service account")
            let account = try ServiceAccountFile(bed.folder + "/service-account.json")
            let (token, answer) = try await context.mint()
            await context.expect(token.isSigned(by: account), .minted, "The service account has not signed it.")
            await context.expect(
                token.header["alg"] == "RS256" && token.header["typ"] == "JWT", .minted, "The header is wrong.")
            await context.expect(
                token.claims["iss"]?.string == account.email && token.claims["sub"]?.string == account.email, .minted,
                "The token is issued by another account.")
            await context.expect(
                token.claims["aud"]?.string == MintedToken.audience, .minted, "The token has another audience.")
            let (issued, expiry) = (token.claims["iat"]?.integer ?? 0, token.claims["exp"]?.integer ?? .max)
            await context.expect(
                abs(issued - context.lab.now) <= 5 && (1...3600).contains(expiry - issued), .minted,
                "The token is valid for \(expiry - issued) s, starting \(issued - context.lab.now) s from now.")
            let uid = token.uid ?? ""
            await context.expect(
                (1...128).contains(uid.utf16.count) && answer["uid"] == uid, .minted, "The uid is malformed.")
        },
        .attack(
            "MT-12", "A stolen custom token is kept for later use.",
            oracle: "The token is valid for at most ten minutes, as expires_in states.", source: "project goal",
            reveals: [.longLivedToken]
        ) { context in
            let (token, answer) = try await context.mint()
            let lifetime = (token.claims["exp"]?.integer ?? .max) - (token.claims["iat"]?.integer ?? 0)
            await context.expect(lifetime <= 600, .minted, "The token is valid for \(lifetime) s.")
            await context.expect(
                answer.json?["expires_in"]?.integer == lifetime, .wrongAnswer, "expires_in differs.")
        },
        .attack(
            "MT-17", "Firebase receives the token, and a copy with one changed character.",
            oracle: "Firebase accepts the first for that uid and rejects the second.",
            source: "Firebase signInWithCustomToken",
            reveals: [.claimsCopied, .longLivedToken]
        ) { context in
            let (token, answer) = try await context.mint()
            let text = answer["custom_token"] ?? ""
            guard let session = try? MintedToken(try await context.tradeIn(text)).claims else {
                return await context.found(.minted, "Firebase does not accept the token.")
            }
            await context.expect(session["sub"]?.string == token.uid, .minted, "Firebase signs in another uid.")
            await context.expect(
                session["firebase"]?["sign_in_provider"]?.string == "custom", .minted,
                "Firebase reports another sign-in provider.")
            for changed in Spoilt.texts(of: text) where !changed.hasPrefix(" ") {
                if (try? await context.tradeIn(changed)) != nil {
                    await context.found(.minted, "A changed custom token signs in.")
                }
            }
        },
        .attack(
            "MT-07a", "The server's clock is a quarter of an hour ahead.",
            oracle: "The server rejects ID tokens as too old: it mints no token with an `iat` in the future.",
            source: "part 2",
            needs: [.standIns, .processes, .clock]
        ) { context in
            try await context.withServer("ahead") {
                $0.clockOffset = 900
            } _: { server, _ in
                let proof = try await context.proof(of: try context.freshSubject(), wire: server.wire)
                await context.fire(
                    context.exchange(proof), expecting: .refused("too_old", "expired"), at: server.wire)
            }
        },
        .attack(
            "MT-07b", "The server's clock is a quarter of an hour behind.",
            oracle: "The server rejects ID tokens as not_yet_valid.", source: "part 2",
            needs: [.standIns, .processes, .clock]
        ) { context in
            try await context.withServer("behind") {
                $0.clockOffset = -900
            } _: { server, _ in
                let proof = try await context.proof(of: try context.freshSubject(), wire: server.wire)
                await context.fire(
                    context.exchange(proof), expecting: .refused("not_yet_valid"), at: server.wire)
            }
        },
        .attack(
            "MT-10", "Google's signer fails when the credential is spent.",
            oracle:
                "The server responds with 503 signer_unavailable and retry `same`, issues nothing, and succeeds later.",
            source: "fail closed", needs: [.standIns, .processes]
        ) { context in
            try await context.withServer("iam") { plan in
                plan.set("firebase/signer", "iam")
                plan.set("firebase/service_account", nil)
                plan.set("firebase/project_id", "sandbox")
            } _: { server, _ in
                let request = context.exchange(
                    try await context.proof(of: try context.freshSubject(), wire: server.wire))
                try await context.standIns.fault(["target": "google.sign_blob", "status": 500, "body": "{}"])
                let reply = await context.fire(
                    request,
                    expecting: .refused("signer_unavailable", status: 503, error: "temporarily_unavailable"),
                    at: server.wire)
                await context.expect(
                    reply.answer?["retry"] == "same", .wrongAnswer, "The response does not say retry: same.")
                try await context.standIns.reset()
                try await context.mustStillWork(request, at: server.wire)
                await context.fire(request, expecting: .refused("replayed"), at: server.wire)
            }
        },
        .attack(
            "MT-14", "The tokens of a plain sign-in are searched for `reauth_time`.", severity: .high,
            oracle: "Only tokens of REAUTHENTICATE contain it, with the server's time.",
            source: "token-exchange API: reauthenticate", needs: [.standIns, .accounts]
        ) { context in
            let member = try await context.enter { $0.claims["reauth_time"] = 2_100_000_000 }
            let plain = try MintedToken(member.customToken).claims["claims"]
            await context.expect(
                plain?["reauth_time"] == nil, .minted, "The token of a plain sign-in contains reauth_time.")
            let proof = try await context.proof(of: member.subject) { $0.claims["reauth_time"] = 2_100_000_000 }
            let answer = try await context.honest(context.reauthenticate(member.bearer, proof))
            let time = try MintedToken(answer["custom_token"] ?? "").claims["claims"]?["reauth_time"]?.integer ?? 0
            await context.expect(abs(time - context.lab.now) <= 5, .minted, "reauth_time is \(time).")
        },
    )
}

extension AttackContext {
    /// Expects only the members of a custom token, and only claims that the configuration names.
    func expectAllowed(_ token: MintedToken) async {
        let members = Set(token.claims.object.map(\.keys).map(Array.init) ?? [])
        let extra = members.subtracting(["aud", "claims", "exp", "iat", "iss", "sub", "uid"]).sorted()
        await expect(extra.isEmpty, .minted, "The token has the members \(extra).")
        let claims = Set(token.claims["claims"]?.object.map(\.keys).map(Array.init) ?? [])
        let further = claims.subtracting(["idp", "idp_uid"]).sorted()
        await expect(further.isEmpty, .minted, "The token has the claims \(further).")
    }
}
