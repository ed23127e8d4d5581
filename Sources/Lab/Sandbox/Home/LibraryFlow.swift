import Jansson

/// The application runs the provider's flow with a library of its own, and hands in what it obtained.
struct LibraryFlow {
    let conversation: Conversation

    func run() async {
        guard let nonce = await nonce(.nonce) else { return }
        switch conversation.scenario {
        case .libraryX:
            guard let pair = await issue(.library, ["protocol": .string("oauth1")]) else { return }
            await conversation.finish(
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
            await conversation.finish(
                .tokenExchange,
                .form(
                    conversation.server.publicURL + "/token",
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                        ("client_id", HomeClient.id), ("subject_token", token),
                        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
                        ("subject_issuer", conversation.scenario.provider), ("nonce", nonce.verifier),
                    ]))
        default:
            guard let token = await idToken(holding: nonce) else { return }
            await conversation.finish(
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
