internal import Jansson

extension Catalogue {
    static let pushedRequests = Section(.start, .high, needs: [.standIns, .pushedRequests]).attacks(
        .attack(
            "PAR-03", "A request_uri of one client is used by another one.",
            oracle: "The server responds with a 400 page; the request_uri stays valid for its own client.",
            source: "RFC 9126 4; RFC 9700 4.7"
        ) { context in
            let requestURI = try await context.push()
            let other = context.lab.application.otherClientID
            await context.fire(context.pulled(requestURI, clientID: other), expecting: .page())
            await context.fire(
                .get("/authorize?" + PercentEncoding.form([("request_uri", requestURI)])), expecting: .page())
            try await context.mustStillWork(context.pulled(requestURI), status: 303)
        },
        .attack(
            "PAR-05", "Parameters are sent with the request_uri to change the pushed request.", severity: .critical,
            oracle: "The server uses redirect URI, state, challenge and provider only from /par.",
            source: "RFC 9126 4; RFC 9101 6.3", needs: [.standIns, .pushedRequests, .browserFlow]
        ) { context in
            let requestURI = try await context.push()
            let attackers = "attackers-verifier-attackers-verifier-attackers"
            var request = context.pulled(requestURI)
            request.target +=
                "&"
                + PercentEncoding.form([
                    ("redirect_uri", context.lab.application.otherRedirectURI), ("state", "attackers"),
                    ("code_challenge", AttackContext.challenge(attackers)), ("code_challenge_method", "S256"),
                    ("provider", "twitter.com"), ("response_type", "token"), ("scope", "admin"),
                ])
            let answer = try await context.honest(request, status: 303)
            let flow = await context.flow(after: answer)
            let finished = try await context.honest(
                await context.callback(try await context.approve(flow), in: flow.browser), status: 303)
            await context.expect(
                finished.field("location")?.hasPrefix(context.lab.application.redirectURI + "?") == true, .minted,
                "The handoff code went to another redirect URI.")
            await context.expect(finished.redirected("state") == "pushed", .wrongAnswer, "The state is wrong.")
            let code = finished.redirected("code") ?? ""
            await context.fire(
                context.redeem(code, flow) { $0.set("code_verifier", attackers) },
                expecting: .refused("pkce_mismatch"))
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "PAR-06", "A pushed request refers to another request.",
            oracle: "The server responds with parameter_not_allowed.",
            source: "RFC 9126 2.1; RFC 9101"
        ) { context in
            let requestURI = try await context.push()
            let hostile = try context.standIns.addresses.hostile
            for (name, value) in [("request_uri", requestURI), ("request_uri", hostile), ("request", "eyJ.e30.")] {
                await context.fire(
                    context.pushing { $0.append((name, value)) }, expecting: .malformed("parameter_not_allowed"))
            }
        },
        .attack(
            "PAR-07", "The request_uri is invented, changed, or another value that the server sealed.",
            oracle: "The server responds to each with a 400 page and fetches nothing.", source: "RFC 9126 7.1"
        ) { context in
            let requestURI = try await context.push()
            let other = try await context.push()
            let prefix = "urn:ietf:params:oauth:request_uri:"
            let sealed = requestURI.dropFirst(prefix.count)
            let (_, verifier) = try await context.nonce()
            var forged: [String] = [
                "", prefix, "\(prefix)x", "\(prefix)\(verifier)", String(sealed), "\(requestURI)A", "\(requestURI)=",
                String(requestURI.dropLast()), "URN:ietf:params:oauth:request_uri:\(sealed)", " \(requestURI)",
                "\(prefix)\(sealed.prefix(40))\(other.dropFirst(prefix.count + 40))", "\(requestURI)\(other)",
                try context.standIns.addresses.hostile,
            ]
            for offset in stride(from: 0, to: sealed.count, by: max(1, sealed.count / 16)) {
                var letters = Array(sealed)
                letters[offset] = letters[offset] == "A" ? "B" : "A"
                forged.append(prefix + String(letters))
            }
            for text in forged { await context.fire(context.pulled(text), expecting: .page()) }
            try await context.mustStillWork(context.pulled(requestURI), status: 303)
        },
        .sweep(
            "PAR-08", "A request is pushed with a redirect URI that is not the client's.", severity: .critical,
            oracle: "The server responds with redirect_uri_not_allowed before it stores anything.",
            source: "RFC 9126 2.3",
            over: [
                "https://evil.example/cb", "https://app.example/cb?x=1", "https://app.example/cb#",
                "https://APP.example/cb",
                "https://app.example/cb/", "com.example.app:/yahoo", "http://127.0.0.1:0/callback", " ",
            ]
        ) { context, redirectURI in
            await context.fire(
                context.pushing { $0.set("redirect_uri", redirectURI) },
                expecting: .malformed("redirect_uri_not_allowed"))
        },
        .attack(
            "PAR-09", "A request is pushed without PKCE, with plain, or for another response type.",
            severity: .critical,
            oracle: "The server responds with pkce_required, malformed_body or unsupported_response_type.",
            source: "RFC 9700 2.1.1"
        ) { context in
            let changes: [(String, String?, String)] = [
                ("code_challenge", nil, "pkce_required"), ("code_challenge_method", "plain", "pkce_required"),
                ("code_challenge_method", nil, "pkce_required"), ("code_challenge", "x", "malformed_body"),
                ("response_type", "token", "unsupported_response_type"),
                ("response_mode", "fragment", "malformed_body"),
                ("scope", "admin", "invalid_scope"), ("provider", "unknown.example", "unknown_provider"),
            ]
            for (name, value, reason) in changes {
                let request = context.pushing { $0.set(name, value) }
                await context.fire(request, expecting: Expectation(statuses: [400], reasons: [reason]))
            }
        },
        .attack(
            "PAR-11", "A request is pushed with duplicate parameters, in the URL, as JSON, or by GET.",
            severity: .medium,
            oracle: "The server responds with duplicate_parameter, malformed_body, 415 and 405.",
            source: "RFC 6749 3.1; RFC 9126 2"
        ) { context in
            for (name, value) in [("redirect_uri", "https://evil.example/"), ("client_id", "x"), ("state", "x")] {
                await context.fire(
                    context.pushing { $0.append((name, value)) }, expecting: .malformed("duplicate_parameter"))
            }
            var inURL = context.pushing()
            inURL.target += "?client_id=my-app"
            await context.fire(inURL, expecting: .malformed("malformed_body"))
            await context.fire(.json("/par", ["client_id": "my-app"]), expecting: .status(415))
            await context.fire(.get("/par?client_id=my-app"), expecting: .status(405))
        },
        .attack(
            "PAR-12", "A public client sends a secret at /par.", severity: .medium,
            oracle: "The server responds with 401 invalid_client: accepting a secret would imply that it was verified.",
            source: "RFC 9126 2; RFC 6749 5.2"
        ) { context in
            let expectation = Expectation.unknownClient
            await context.fire(context.pushing { $0.append(("client_secret", "x-secret")) }, expecting: expectation)
            await context.fire(
                context.pushing().with("Authorization", "Basic bXktYXBwOnNlY3JldA=="), expecting: expectation)
            await context.fire(
                context.pushing { $0.set("client_id", "unknown-client") }, expecting: expectation)
        },
    )
}

extension AttackContext {
    /// `POST /par` with valid parameters, changed by `change`.
    func pushing(_ change: (inout [(String, String)]) -> Void = { _ in }, bearer: String? = nil) -> Request {
        let target = authorize(verifier: Self.plainVerifier, state: "pushed", change).target
        let parameters = PercentEncoding.query(of: target)
        return .form("/par", parameters.map { ($0.name, $0.value) }, bearer: bearer)
    }

    func push(at wire: Wire? = nil) async throws -> String {
        let answer = try await honest(pushing(), status: 201, at: wire)
        guard let requestURI = answer["request_uri"] else { throw Inconclusive("POST /par returned no request_uri.") }
        return requestURI
    }

    /// `GET /authorize` with only the client and the `request_uri`.
    func pulled(_ requestURI: String, clientID: String? = nil) -> Request {
        .get(
            "/authorize?"
                + PercentEncoding.form([
                    ("client_id", clientID ?? lab.application.clientID), ("request_uri", requestURI),
                ]))
    }

    /// Returns the flow that a pushed request has started.
    func flow(after answer: Answer) async -> Flow {
        let browser = Browser()
        await browser.take(answer)
        return flow(in: browser, to: answer.field("location") ?? "")
    }

    /// Returns the flow after the page before the provider.
    func flow(behind request: Request) async throws -> Flow {
        let browser = Browser()
        return flow(in: browser, to: try await door(of: lab.application.provider, behind: request, in: browser))
    }

    private func flow(in browser: Browser, to authorizationURL: String) -> Flow {
        Flow(
            browser: browser, codeVerifier: Self.plainVerifier, state: "pushed",
            redirectURI: lab.application.redirectURI, clientID: lab.application.clientID,
            authorizationURL: authorizationURL)
    }
}
