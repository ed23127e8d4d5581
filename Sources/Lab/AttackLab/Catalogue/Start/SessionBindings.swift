internal import Jansson

extension Catalogue {
    static let sessionBindings = Section(.start, .critical, needs: [.standIns, .sessions]).attacks(
        .attack(
            "SI-07", "A sealed session is posted changed, truncated, spliced with another one, or differently encoded.",
            oracle: "The server responds with session_invalid to each; the correct session stays valid.",
            source: "RFC 9700 4.7.1; CVE-2026-27840"
        ) { context in
            let begun = try await context.session()
            let other = try await context.session()
            let url = try await context.callbackURL(of: begun)
            let session = begun.session
            let half = session.count / 2
            var forged: [String] = [
                String(session.dropLast()), String(session.dropFirst()), "\(session)A", "\(session)=", " \(session)",
                "\(session)\u{20}", session.uppercased(), "\(session.prefix(half))\(other.session.dropFirst(half))",
                "\(other.session.prefix(half))\(session.dropFirst(half))", "\(session).\(other.session)", "x", "AAAA",
                String(session.reversed()), session.replacing("-", with: "+").replacing("_", with: "/") + "+",
            ]
            for offset in stride(from: 0, to: session.count, by: max(1, session.count / 24)) {
                var letters = Array(session)
                letters[offset] = letters[offset] == "A" ? "B" : "A"
                forged.append(String(letters))
            }
            // The last character of a sealed value may have unused bits.
            forged += "ABCDEFGHIJKLMNOP".map { "\(session.dropLast())\($0)" }.filter { $0 != session }
            await context.fire(sessions: forged, inPlaceOf: begun, url)
            try await context.mustStillWork(context.ending(begun, url))
        },
        .attack(
            "SI-07a", "Another value that this server sealed is posted as a session.",
            oracle: "The server responds with session_invalid: each sealed value has one purpose.",
            source: "type confusion; RFC 8725 2.8",
            needs: [.standIns, .sessions, .browserFlow, .pushedRequests]
        ) { context in
            let begun = try await context.session()
            let url = try await context.callbackURL(of: begun)
            let flow = try await context.begin()
            let cookie = try await context.flowCookie(flow).value
            let requestURI = try await context.push()
            let (_, verifier) = try await context.nonce()
            let (handoff, _) = try await context.handoff()
            let sealed: [String] = [
                verifier, cookie, requestURI, String(requestURI.split(separator: ":").last ?? ""), handoff,
            ]
            await context.fire(sessions: sealed, inPlaceOf: begun, url)
            try await context.mustStillWork(context.ending(begun, url))
        },
        .attack(
            "SI-07b", "A session is posted in place of other values that this server sealed.",
            oracle: "The server refuses it everywhere: each sealed value has one purpose.",
            source: "type confusion; RFC 8725 2.8",
            needs: [.standIns, .sessions, .browserFlow, .pushedRequests]
        ) { context in
            let begun = try await context.session()
            let (request, issued) = try await context.genuine()
            _ = request
            let idToken = issued["id_token"]?.string ?? ""
            await context.fire(
                context.exchange(idToken: idToken, nonce: begun.session), expecting: .refused("nonce_mismatch"))
            await context.fire(
                context.exchange(.pending(begun.session)),
                expecting: .refused("code_rejected"))
            await context.fire(
                context.pulled("urn:ietf:params:oauth:request_uri:\(begun.session)"), expecting: .page())
            let flow = try await context.begin()
            let name = try await context.flowCookie(flow).name
            await context.fire(
                Request.get("/callback/yahoo.com?code=x&state=\(flow.providerState ?? "")")
                    .with("Cookie", "\(name)=\(begun.session)"), expecting: .page())
        },
        .attack(
            "SI-15", "The contents of a session are read from the session or from the URL.", severity: .high,
            oracle: "The session contains no readable state, nonce or verifier; the URL contains no verifier.",
            source: "RFC 7636; token-exchange API"
        ) { context in
            let begun = try await context.session(provider: "twitter.com")
            let inside = String(decoding: Base64.urlDecode(begun.session) ?? [], as: UTF8.self)
            for word in [begun.state ?? "none", begun.redirectURI, "twitter.com", "binding", "code_verifier"] {
                await context.expect(
                    !begun.session.contains(word) && !inside.contains(word), .leaked, "The session is readable.")
            }
            await context.expect(
                begun.authorizationURL.contains("code_challenge_method=S256")
                    && !begun.authorizationURL.contains("verifier"), .leaked,
                "The URL does not contain only an S256 challenge.")
        },
    )

    static let sessionBeginnings = Section(.start, .critical, needs: [.standIns, .sessions]).attacks(
        .sweep(
            "SI-09", "A session is started with a redirect URI that is not the application's.",
            oracle: "The server responds with redirect_uri_not_allowed, also for redirect URIs of the browser flow.",
            source: "RFC 9700 2.1",
            over: [
                "https://evil.example/cb", "https://app.example/cb", "com.example.app:/oauth",
                "com.example.app:/yahoox",
                "com.example.app:/yahoo?x=1", "com.example.app:/yahoo#", "com.example.app:/yahoo/",
                "COM.example.app:/yahoo",
                "com.example.app:/Yahoo", "com.example.app:/%79ahoo", " com.example.app:/yahoo",
                "com.example.app://yahoo",
            ]
        ) { context, redirectURI in
            await context.fire(
                context.beginning(redirectURI: redirectURI), expecting: .malformed("redirect_uri_not_allowed"))
        },
        .attack(
            "SI-10", "Provider parameters of a session contain the server's own parameters.",
            oracle: "The server responds with reserved_parameter, or parameter_not_allowed if not configured.",
            source: "RFC 9700 4.7; CVE-2026-31813"
        ) { context in
            let reserved = [
                "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
                "code_challenge_method", "response_mode", "request", "request_uri", "claims", "id_token_hint",
                "client_secret", "oauth_callback", "oauth_token",
            ]
            for name in reserved {
                let reply = await context.fire(
                    context.beginning(further: ["parameters": [name: "evil"]]),
                    expecting: .malformed("reserved_parameter"))
                await context.expect(
                    reply.answer?["parameter"] == name, .wrongAnswer, "The refusal does not name the parameter \(name)."
                )
            }
            for name in ["issuer", "Client_id", "client_id ", "prompt&state", "%73tate", "audience", "x", ""] {
                await context.fire(
                    context.beginning(further: ["parameters": [name: "evil"]]),
                    expecting: .malformed("parameter_not_allowed", "malformed_body", "unknown_field"))
            }
        },
        .attack(
            "SI-10a", "A permitted parameter contains further parameters.", severity: .high,
            oracle: "The server sends it to the provider as one value.", source: "CWE-88"
        ) { context in
            let planted: JSON = ["login_hint": "x&state=evil&redirect_uri=https://evil.example#"]
            let url = try await context.session(further: ["parameters": planted]).authorizationURL
            let names = PercentEncoding.query(of: url).map(\.name)
            await context.expect(
                Set(names).count == names.count && !url.contains("#") && names.contains("login_hint"), .wrongAnswer,
                "The value was split into further parameters.")
        },
        .attack(
            "SI-16", "A linking session is started without a bearer token, or with a forged one.",
            oracle: "The server responds with 401: id_token_missing or id_token_invalid.",
            source: "CVE-2015-9284; COSF",
            needs: [.standIns, .sessions, .accounts]
        ) { context in
            let request = context.beginning(further: ["intent": "link"])
            await context.fire(request, expecting: .unauthorized("id_token_missing"))
            let (_, issued) = try await context.genuine()
            for bearer in ["x", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.", issued["id_token"]?.string ?? ""] {
                await context.fire(
                    context.beginning(further: ["intent": "link"], bearer: bearer),
                    expecting: .unauthorized("id_token_invalid", "id_token_missing"))
            }
            await context.fire(
                context.beginning(further: ["intent": "merge"]), expecting: .malformed("malformed_body"))
        },
    )
}

extension AttackContext {
    /// Posts other texts in place of a session, which the server must refuse.
    fileprivate func fire(sessions texts: [String], inPlaceOf begun: SignInSession, _ url: String) async {
        for text in texts {
            var changed = begun
            changed.session = text
            await fire(ending(changed, url), expecting: .refused("session_invalid"))
        }
    }
}
