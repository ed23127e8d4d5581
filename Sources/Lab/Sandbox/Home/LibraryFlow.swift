import Jansson

/// The application runs the provider's flow with a library of its own, and hands in what it obtained.
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
                note: "The server asks X about the pair under its own consumer signature, so another's is refused.")
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
                note: "With the token goes the nonce_verifier, so that the token alone is worth nothing.")
        }
    }

    private func idToken(holding nonce: Nonce) async -> String? {
        await issue(
            .library, ["nonce": .string(nonce.value)],
            note: "POST /issue stands for the library: the stand-in answers as if Alice had consented."
        )?["id_token"]?.string
    }
}

extension LibraryFlow {
    struct Nonce {
        let value: String
        let verifier: String
    }

    /// Nil where the run has ended.
    func nonce(_ kind: StepKind) async -> Nonce? {
        let answer = await client.success(
            kind,
            .json(
                client.server.publicURL + "/v1/nonce",
                .object([
                    "client_id": .string(HomeClient.id), "provider": .string(client.scenario.provider),
                ])),
            note:
                "The nonce goes into the token; the nonce_verifier, whose SHA-256 it is, is shown to the server alone.")
        guard let answer else { return nil }
        return Nonce(value: answer["nonce"]?.string ?? "", verifier: answer["nonce_verifier"]?.string ?? "")
    }

    /// Has a stand-in issue without a browser; nil where the run has ended.
    func issue(_ kind: StepKind, _ members: [String: JSON], note: String? = nil) async -> JSON? {
        let command = members.merging(["provider": .string(client.scenario.provider)]) { $1 }
        return await client.success(kind, .json(client.origin + "/issue", .object(command)), note: note)
    }

    func exchange(_ type: String, _ credential: [String: JSON]) -> RecordedRequest {
        .json(
            client.server.publicURL + "/v1/exchange",
            .object([
                "client_id": .string(HomeClient.id), "provider": .string(client.scenario.provider),
                "credential": .object(credential.merging(["type": .string(type)]) { $1 }),
            ]))
    }
}
