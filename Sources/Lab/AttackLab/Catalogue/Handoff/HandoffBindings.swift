extension Catalogue {
    static let handoffBindings = Section(.handoff, .high, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "HO-06", "A handoff code of one application is redeemed with the client id of another.",
            severity: .critical,
            oracle: "The server responds with code_rejected; the right application can still redeem the code.",
            source: "CVE-2026-28513; CVE-2026-55672", reveals: [.handoffUnbound]
        ) { context in
            let (code, flow) = try await context.handoff()
            let application = context.lab.application
            for redirectURI in [flow.redirectURI, application.otherRedirectURI] {
                await context.fire(
                    context.redeem(code, flow) { parameters in
                        parameters.removeAll { ["client_id", "redirect_uri"].contains($0.0) }
                        parameters += [("client_id", application.otherClientID), ("redirect_uri", redirectURI)]
                    }, expecting: .refused("code_rejected"))
            }
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-06a", "A handoff code is redeemed with a redirect URI other than that of its flow.",
            oracle: "The server responds with code_rejected, even if the URI is registered; the right one still works.",
            source: "RFC 6749 4.1.3"
        ) { context in
            let (code, flow) = try await context.handoff()
            for redirectURI in [
                "com.example.app:/oauth", "http://127.0.0.1/callback", "\(flow.redirectURI)/",
                "https://evil.example/cb",
            ] {
                await context.fire(
                    context.redeem(code, flow) { $0.set("redirect_uri", redirectURI) },
                    expecting: .refused("code_rejected"))
            }
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-06b", "The redemption lacks the client id, the redirect URI, the code or the grant type.",
            oracle: "The server responds with missing_field; the code can still be redeemed.", source: "RFC 6749 4.1.3"
        ) { context in
            let (code, flow) = try await context.handoff()
            for name in ["client_id", "redirect_uri", "code", "grant_type"] {
                await context.fire(
                    context.redeem(code, flow) { $0.set(name, nil) }, expecting: .malformed("missing_field")
                )
            }
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-08", "A handoff code, used or unused, is spelled differently.",
            oracle:
                "The server responds with code_rejected to every other spelling; it accepts a percent-encoded code.",
            source: "CVE-2026-27840; replay core", reveals: [.handoffReused]
        ) { context in
            let (code, flow) = try await context.handoff()
            try await context.honest(context.redeem(code, flow))
            let spellings: [String] = [
                "\(code)=", "\(code) ", " \(code)", "\(code)A", String(code.dropLast()), code.uppercased(),
                code.lowercased(), "\(code)\u{200B}", code.replacing("-", with: "+"), "\(code),\(code)",
            ]
            for spelling in spellings where spelling != code {
                await context.fire(
                    context.redeem(spelling, flow), expecting: .refused("code_rejected"))
            }
            // The last character has bits that a lenient base64url decoder ignores.
            for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef" where last != code.last {
                await context.fire(
                    context.redeem("\(code.dropLast())\(last)", flow), expecting: .refused("code_rejected"))
            }
            var request = context.redeem(code, flow)
            let encoded = code.utf8.map { "%" + Base16.encode([$0]) }.joined()
            request.body = Array(String(decoding: request.body, as: UTF8.self).replacing(code, with: encoded).utf8)
            await context.fire(request, expecting: .refused("replayed"))
        },
        .attack(
            "HO-19", "The redemption contains a parameter twice, or also in the URL.",
            oracle: "The server responds with duplicate_parameter or malformed_body; the code can still be redeemed.",
            source: "RFC 6749 3.2"
        ) { context in
            let (code, flow) = try await context.handoff()
            for (name, value) in [
                ("client_id", "other-app"), ("code", "x"), ("code_verifier", AttackContext.plainVerifier),
                ("redirect_uri", "x"),
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("cod%65", "x"),
            ] {
                var request = context.redeem(code, flow)
                request.body += Array("&\(name)=\(PercentEncoding.encode(value))".utf8)
                await context.fire(request, expecting: .malformed("duplicate_parameter"))
            }
            var inURL = context.redeem(code, flow)
            inURL.target += "?client_id=other-app"
            await context.fire(inURL, expecting: .malformed("malformed_body"))
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-20", "The redemption contains a client secret although the client has none.",
            oracle: "The server responds with 401 invalid_client; the code can still be redeemed.",
            source: "RFC 6749 5.2; RFC 8252 8.5"
        ) { context in
            let (code, flow) = try await context.handoff()
            let expectation = Expectation.unknownClient
            await context.fire(
                context.redeem(code, flow) { $0.append(("client_secret", "x-secret")) }, expecting: expectation)
            await context.fire(
                context.redeem(code, flow).with("Authorization", "Basic bXktYXBwOnNlY3JldA=="), expecting: expectation)
            await context.fire(
                context.redeem(code, flow) { $0.set("client_id", "unknown-client") }, expecting: expectation)
            try await context.mustStillWork(context.redeem(code, flow))
        },
    )
}
