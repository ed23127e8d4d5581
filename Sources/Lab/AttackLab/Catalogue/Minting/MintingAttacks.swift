internal import Jansson

/// What stands in a custom token, and what must not.
enum MintingAttacks {
    static let all = Section(.minting, .medium).attacks(
        .attack(
            "MT-02", "A custom token is taken apart by the tester's own code.", severity: .high,
            oracle:
                "RS256, `typ` JWT, iss = sub = the service account, Identity Toolkit's `aud`, an hour at most, signed.",
            source: "firebase-admin token-generator", reveals: [.longLivedToken]
        ) { strike in
            let bed = try strike.lab.needed(strike.lab.testBed, "service account")
            let account = try ServiceAccountFile(bed.folder + "/service-account.json")
            let (token, answer) = try await strike.mint()
            await strike.expect(token.isSigned(by: account), .minted, "The service account has not signed it.")
            await strike.expect(
                token.header["alg"] == "RS256" && token.header["typ"] == "JWT", .minted, "The header is another.")
            await strike.expect(
                token.claims["iss"]?.string == account.email && token.claims["sub"]?.string == account.email, .minted,
                "It is issued by another account.")
            await strike.expect(
                token.claims["aud"]?.string == MintedToken.audience, .minted, "It is for another audience.")
            let (issued, expiry) = (token.claims["iat"]?.integer ?? 0, token.claims["exp"]?.integer ?? .max)
            await strike.expect(
                abs(issued - strike.lab.now) <= 5 && (1...3600).contains(expiry - issued), .minted,
                "It is good for \(expiry - issued) s from \(issued - strike.lab.now) s from now on.")
            let uid = token.uid ?? ""
            await strike.expect(
                (1...128).contains(uid.utf16.count) && answer["uid"] == uid, .minted, "The uid is of a bad form.")
        },
        .attack(
            "MT-12", "A stolen custom token is kept for later.",
            oracle: "It is good for ten minutes at most, and expires_in says so.", source: "project goal",
            reveals: [.longLivedToken]
        ) { strike in
            let (token, answer) = try await strike.mint()
            let lifetime = (token.claims["exp"]?.integer ?? .max) - (token.claims["iat"]?.integer ?? 0)
            await strike.expect(lifetime <= 600, .minted, "It is good for \(lifetime) s.")
            await strike.expect(
                answer.json?["expires_in"]?.integer == lifetime, .wrongAnswer, "expires_in says something else.")
        },
        .attack(
            "MT-17", "Firebase is given the token, and a token that is changed in one character.",
            oracle: "It takes the one for that uid, and not the other.", source: "Firebase signInWithCustomToken",
            reveals: [.claimsCopied, .longLivedToken]
        ) { strike in
            let (token, answer) = try await strike.mint()
            let text = answer["custom_token"] ?? ""
            guard let session = try? MintedToken(try await strike.tradeIn(text)).claims else {
                return await strike.found(.minted, "Firebase does not take the token.")
            }
            await strike.expect(session["sub"]?.string == token.uid, .minted, "Firebase signs in another uid.")
            await strike.expect(
                session["firebase"]?["sign_in_provider"]?.string == "custom", .minted, "Firebase takes it for another.")
            for changed in Spoilt.texts(of: text) where !changed.hasPrefix(" ") {
                if (try? await strike.tradeIn(changed)) != nil {
                    await strike.found(.minted, "A changed custom token signs in.")
                }
            }
        },
        .attack(
            "MT-07a", "The server's clock is a quarter of an hour ahead.",
            oracle: "ID tokens are too old there: nothing is minted with an `iat` of the future.", source: "part 2",
            needs: [.standIns, .processes, .clock]
        ) { strike in
            try await strike.withServer("ahead") {
                $0.clockOffset = 900
            } _: { server, _ in
                let proof = try await strike.proof(of: try strike.freshSubject(), wire: server.wire)
                await strike.fire(
                    strike.exchange(proof), expecting: .refused("too_old", "expired"), at: server.wire)
            }
        },
        .attack(
            "MT-07b", "The server's clock is a quarter of an hour behind.",
            oracle: "ID tokens are of the future there: not_yet_valid.", source: "part 2",
            needs: [.standIns, .processes, .clock]
        ) { strike in
            try await strike.withServer("behind") {
                $0.clockOffset = -900
            } _: { server, _ in
                let proof = try await strike.proof(of: try strike.freshSubject(), wire: server.wire)
                await strike.fire(
                    strike.exchange(proof), expecting: .refused("not_yet_valid"), at: server.wire)
            }
        },
        .attack(
            "MT-10", "Google's signer fails when the credential is spent.",
            oracle: "503 signer_unavailable with retry `same`: nothing was handed out; it succeeds later.",
            source: "fail closed", needs: [.standIns, .processes]
        ) { strike in
            try await strike.withServer("iam") { plan in
                plan.set("firebase/signer", "iam")
                plan.set("firebase/service_account", nil)
                plan.set("firebase/project_id", "sandbox")
            } _: { server, _ in
                let request = strike.exchange(try await strike.proof(of: try strike.freshSubject(), wire: server.wire))
                try await strike.standIns.fault(["target": "google.sign_blob", "status": 500, "body": "{}"])
                let reply = await strike.fire(
                    request,
                    expecting: Expectation(
                        statuses: [503], errors: ["temporarily_unavailable"], reasons: ["signer_unavailable"]),
                    at: server.wire)
                await strike.expect(reply.answer?["retry"] == "same", .wrongAnswer, "It does not say retry: same.")
                try await strike.standIns.reset()
                try await strike.mustStillWork(request, at: server.wire)
                await strike.fire(request, expecting: .refused("replayed"), at: server.wire)
            }
        },
        .attack(
            "MT-14", "`reauth_time` is looked for in tokens of a plain sign-in.", severity: .high,
            oracle: "It stands in tokens of REAUTHENTICATE alone, and is the server's time.",
            source: "http-api.md: reauthenticate", needs: [.standIns, .accounts]
        ) { strike in
            let member = try await strike.enter { $0.claims["reauth_time"] = 2_100_000_000 }
            let plain = try MintedToken(member.customToken).claims["claims"]
            await strike.expect(plain?["reauth_time"] == nil, .minted, "A plain sign-in says reauth_time.")
            let proof = try await strike.proof(of: member.subject) { $0.claims["reauth_time"] = 2_100_000_000 }
            let answer = try await strike.honest(strike.reauthenticate(member.bearer, proof))
            let time = try MintedToken(answer["custom_token"] ?? "").claims["claims"]?["reauth_time"]?.integer ?? 0
            await strike.expect(abs(time - strike.lab.now) <= 5, .minted, "reauth_time is \(time).")
        },
    )
}

extension Strike {
    /// No member beyond those of a custom token, and no claim beyond those of the configuration.
    func expectAllowed(_ token: MintedToken) async {
        let members = Set(token.claims.object.map(\.keys).map(Array.init) ?? [])
        let extra = members.subtracting(["aud", "claims", "exp", "iat", "iss", "sub", "uid"]).sorted()
        await expect(extra.isEmpty, .minted, "The token has the members \(extra).")
        let claims = Set(token.claims["claims"]?.object.map(\.keys).map(Array.init) ?? [])
        let further = claims.subtracting(["idp", "idp_uid"]).sorted()
        await expect(further.isEmpty, .minted, "The token has the claims \(further).")
    }
}
