internal import Jansson

/// Identifiers that only look like registered ones: Unicode holds some letters for equal whose octets differ.
enum LookAlikes {
    /// KELVIN SIGN is canonically equivalent to K, ANGSTROM SIGN to Å.
    private static let kelvin = "\u{212A}IOSK"

    static let all = Section(.start, .high).attacks(
        .attack(
            "ST-28a", "A client_id has KELVIN SIGN for its K, at every endpoint that takes one.",
            oracle: "401 unknown_client or a page of 400: identifiers are compared by octets.",
            source: "Unicode UAX 15; CWE-178", reveals: [.lookAlikeNames]
        ) { strike in
            let unknown = Expectation.refused("unknown_client", status: 401, error: "invalid_client")
            let provider = JSON.string(strike.lab.application.provider)
            let (request, _) = try await strike.genuine()
            let good = try JSON.parse(request.body, maximumBytes: 1 << 16)
            await strike.fire(
                .json("/v1/nonce", ["client_id": .string(kelvin), "provider": provider]), expecting: unknown)
            await strike.fire(
                .json("/v1/exchange", good.setting(["client_id"], to: .string(kelvin))), expecting: unknown)
            await strike.fire(
                .form(
                    "/token",
                    [
                        ("grant_type", "authorization_code"), ("client_id", kelvin), ("code", "x"),
                        ("redirect_uri", "https://kiosk.example/cb"), ("code_verifier", Strike.plainVerifier),
                    ]), expecting: unknown)
            await strike.fire(
                strike.authorize(
                    verifier: Strike.plainVerifier, state: "s", clientID: kelvin,
                    redirectURI: "https://kiosk.example/cb"), expecting: .page())
            try await strike.mustStillWork(.json("/v1/nonce", ["client_id": "KIOSK", "provider": provider]))
        },
        .attack(
            "ST-28b", "A provider has KELVIN SIGN, whose lower case is k, for its k, in a body, a query and a path.",
            oracle: "400 unknown_provider, and pages of 400.", source: "Unicode UAX 15; CWE-178",
            needs: [.standIns, .processes, .discovery, .browserFlow]
        ) { strike in
            let (registered, alike) = ("kop.example", "\u{212A}op.example")
            try await strike.onOwnServer("kelvin") {
                $0.set("providers/op.example", nil)
                $0.set("providers/\(registered)", $0.discovered(at: try? strike.standIns.addresses.yahoo))
            } _: { there, _, _ in
                let client = JSON.string(there.lab.application.clientID)
                await there.fire(
                    .json("/v1/nonce", ["client_id": client, "provider": .string(alike)]),
                    expecting: .malformed("unknown_provider"))
                await there.fire(
                    .get("/callback/\(PercentEncoding.encode(alike))?code=x&state=y"), expecting: .page())
                let reply = await there.fire(
                    there.authorize(verifier: Strike.plainVerifier, state: "s", provider: alike),
                    expecting: .status(303, 400))
                await there.expect(
                    reply.answer?.redirected("client_id") == nil, .wrongAnswer, "The flow went to the provider.")
                try await there.mustStillWork(
                    .json("/v1/nonce", ["client_id": client, "provider": .string(registered)]))
            }
        },
    )
}

extension ServerPlan {
    /// The stand-in of Yahoo as a provider by discovery.
    fileprivate func discovered(at issuer: String?) -> JSON {
        [
            "name": "A provider by discovery", "issuer": .string(issuer ?? ""), "client_id": "kop",
            "client_secret": "sandbox-yahoo-secret-of-ours", "pkce": "off", "timeout": "3s",
        ]
    }
}
