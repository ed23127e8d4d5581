import Jansson

/// A sign-in in which the application runs the provider's flow with a library and sends the result to the server.
struct LibraryFlow {
    let client: RunClient

    func run() async {
        guard let nonce = await nonce(.nonce) else { return }
        switch client.scenario {
        case .libraryX:
            guard let pair = await issue(.library, ["protocol": .string("oauth1")]) else { return }
            await client.finish(
                .exchange,
                exchange(
                    "oauth1_token",
                    [
                        "oauth_token": pair["oauth_token"] ?? .null,
                        "oauth_token_secret": pair["oauth_token_secret"] ?? .null, "nonce": .string(nonce.verifier),
                    ]),
                note:
                    "The server verifies the pair at X under its own consumer signature, so X refuses another application’s pair."
            )
        case .libraryYahooTokenExchange:
            guard let token = await idToken(holding: nonce) else { return }
            await client.finish(
                .tokenExchange,
                .form(
                    client.server.publicURL + "/token",
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                        ("client_id", HomeClient.id), ("subject_token", token),
                        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
                        ("subject_issuer", client.scenario.provider), ("nonce", nonce.verifier),
                    ]))
        default:
            guard let token = await idToken(holding: nonce) else { return }
            await client.finish(
                .exchange,
                exchange("id_token", ["id_token": .string(token), "nonce": .string(nonce.verifier)]),
                note: "The nonce_verifier goes with the token. Without it the token is worth nothing.")
        }
    }

    private func idToken(holding nonce: Nonce) async -> String? {
        await issue(
            .library, ["nonce": .string(nonce.value)],
            note: "POST /issue replaces the library here: the stand-in answers as if Alice had consented."
        )?["id_token"]?.string
    }
}

extension LibraryFlow {
    struct Nonce {
        let value: String
        let verifier: String
    }

    /// Requests a nonce.
    ///
    /// Returns `nil` if the run has ended.
    ///
    /// - Parameter provider: The provider; `nil` for that of the scenario.
    func nonce(_ kind: StepKind, at provider: String? = nil) async -> Nonce? {
        let answer = await client.success(
            kind,
            .json(
                client.server.publicURL + "/v1/nonce",
                .object([
                    "client_id": .string(HomeClient.id), "provider": .string(provider ?? client.scenario.provider),
                ])),
            note:
                "The nonce goes into the token. It is the SHA-256 of the nonce_verifier, which only the server gets to see."
        )
        guard let answer else { return nil }
        return Nonce(value: answer["nonce"]?.string ?? "", verifier: answer["nonce_verifier"]?.string ?? "")
    }

    /// Makes a stand-in issue tokens without a browser.
    ///
    /// Returns `nil` if the run has ended.
    func issue(
        _ kind: StepKind, _ members: [String: JSON], at provider: String? = nil, note: String? = nil
    ) async -> JSON? {
        let command = members.merging(["provider": .string(provider ?? client.scenario.provider)]) { $1 }
        return await client.success(kind, .json(client.origin + "/issue", .object(command)), note: note)
    }

    func exchange(_ type: String, _ credential: [String: JSON]) -> RecordedRequest {
        .json(
            client.server.publicURL + "/v1/exchange",
            .object([
                "client_id": .string(HomeClient.id),
                "provider": .string(client.scenario.provider),
                "credential": .object(credential.merging(["type": .string(type)]) { $1 }),
            ]))
    }
}
