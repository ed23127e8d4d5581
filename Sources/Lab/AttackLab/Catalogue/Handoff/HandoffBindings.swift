extension Catalogue {
    static let handoffBindings = Section(.handoff, .high, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "HO-06", "A handoff code of one application is redeemed under the id of another one.", severity: .critical,
            oracle: "code_rejected; the right application can still redeem it.",
            source: "CVE-2026-28513; CVE-2026-55672", reveals: [.handoffUnbound]
        ) { strike in
            let (code, flow) = try await strike.handoff()
            let application = strike.lab.application
            for redirectURI in [flow.redirectURI, application.otherRedirectURI] {
                await strike.fire(
                    strike.redeem(code, flow) { parameters in
                        parameters.removeAll { ["client_id", "redirect_uri"].contains($0.0) }
                        parameters += [("client_id", application.otherClientID), ("redirect_uri", redirectURI)]
                    }, expecting: .refused("code_rejected"))
            }
            try await strike.mustStillWork(strike.redeem(code, flow))
        },
        .attack(
            "HO-06a", "A handoff code is redeemed with another redirect URI than its flow's.",
            oracle: "code_rejected, also for one that is registered; then the right one is good.",
            source: "RFC 6749 4.1.3"
        ) { strike in
            let (code, flow) = try await strike.handoff()
            for redirectURI in [
                "com.example.app:/oauth", "http://127.0.0.1/callback", "\(flow.redirectURI)/",
                "https://evil.example/cb",
            ] {
                await strike.fire(
                    strike.redeem(code, flow) { parameters in
                        parameters.removeAll { $0.0 == "redirect_uri" }
                        parameters.append(("redirect_uri", redirectURI))
                    }, expecting: .refused("code_rejected"))
            }
            try await strike.mustStillWork(strike.redeem(code, flow))
        },
        .attack(
            "HO-06b", "Client, redirect URI, code or grant are left out of the redemption.",
            oracle: "missing_field, without using the code up.", source: "RFC 6749 4.1.3"
        ) { strike in
            let (code, flow) = try await strike.handoff()
            for name in ["client_id", "redirect_uri", "code", "grant_type"] {
                await strike.fire(
                    strike.redeem(code, flow) { $0.removeAll { $0.0 == name } }, expecting: .malformed("missing_field"))
            }
            try await strike.mustStillWork(strike.redeem(code, flow))
        },
        .attack(
            "HO-08", "A handoff code, used or not, is written in another way.",
            oracle: "code_rejected for every other spelling; percent-encoding alone changes nothing.",
            source: "CVE-2026-27840; replay core", reveals: [.handoffReused]
        ) { strike in
            let (code, flow) = try await strike.handoff()
            try await strike.honest(strike.redeem(code, flow))
            let spellings: [String] = [
                "\(code)=", "\(code) ", " \(code)", "\(code)A", String(code.dropLast()), code.uppercased(),
                code.lowercased(), "\(code)\u{200B}", code.replacing("-", with: "+"), "\(code),\(code)",
            ]
            for spelling in spellings where spelling != code {
                await strike.fire(
                    strike.redeem(spelling, flow), expecting: .refused("code_rejected"))
            }
            // Bits of the last character that a decoder must not ignore.
            for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef" where last != code.last {
                await strike.fire(
                    strike.redeem("\(code.dropLast())\(last)", flow), expecting: .refused("code_rejected"))
            }
            var request = strike.redeem(code, flow)
            let encoded = code.utf8.map { "%" + Base16.encode([$0]) }.joined()
            request.body = Array(String(decoding: request.body, as: UTF8.self).replacing(code, with: encoded).utf8)
            await strike.fire(request, expecting: .refused("replayed"))
        },
        .attack(
            "HO-19", "A parameter of the redemption stands twice, or in the URL as well.",
            oracle: "duplicate_parameter or malformed_body, without using the code up.", source: "RFC 6749 3.2"
        ) { strike in
            let (code, flow) = try await strike.handoff()
            for (name, value) in [
                ("client_id", "other-app"), ("code", "x"), ("code_verifier", Strike.plainVerifier),
                ("redirect_uri", "x"),
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("cod%65", "x"),
            ] {
                var request = strike.redeem(code, flow)
                request.body += Array("&\(name)=\(PercentEncoding.encode(value))".utf8)
                await strike.fire(request, expecting: .malformed("duplicate_parameter"))
            }
            var inURL = strike.redeem(code, flow)
            inURL.target += "?client_id=other-app"
            await strike.fire(inURL, expecting: .malformed("malformed_body"))
            try await strike.mustStillWork(strike.redeem(code, flow))
        },
        .attack(
            "HO-20", "The redemption claims a secret for a client that has none.",
            oracle: "401 invalid_client, without using the code up.", source: "RFC 6749 5.2; RFC 8252 8.5"
        ) { strike in
            let (code, flow) = try await strike.handoff()
            let expectation = Expectation.refused("unknown_client", status: 401, error: "invalid_client")
            await strike.fire(
                strike.redeem(code, flow) { $0.append(("client_secret", "x-secret")) }, expecting: expectation)
            await strike.fire(
                strike.redeem(code, flow).with("Authorization", "Basic bXktYXBwOnNlY3JldA=="), expecting: expectation)
            await strike.fire(
                strike.redeem(code, flow) { parameters in
                    parameters.removeAll { $0.0 == "client_id" }
                    parameters.append(("client_id", "unknown-client"))
                }, expecting: expectation)
            try await strike.mustStillWork(strike.redeem(code, flow))
        },
    )
}
