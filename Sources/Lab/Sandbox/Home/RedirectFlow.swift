import Jansson

/// The application owns the redirect; state, nonce and PKCE are the server's, sealed in a session.
struct RedirectFlow {
    let client: RunClient

    /// The provider's URL to send the browser to; nil where the run has ended.
    func begin() async -> String? {
        var body: [String: JSON] = [
            "client_id": .string(HomeClient.id), "provider": .string(client.scenario.provider),
            "redirect_uri": .string(client.origin + HomeClient.signInCallbackPath),
        ]
        if let flow = client.scenario.flow { body["flow"] = .string(flow) }
        let answer = await client.success(
            .signIn, .json(client.server.publicURL + "/v1/signin", .object(body)),
            note: "The session is sealed: state, nonce and code_verifier are inside, and only the server can open it.")
        guard let answer else { return nil }
        guard let url = answer["authorization_url"]?.string, let session = answer["session"]?.string else {
            await client.store.finish(client.run, with: nil)
            return nil
        }
        // An OAuth 1.0a flow began with a message between server and provider, known by its token.
        if let token = RecordedRequest.get(url).query?["oauth_token"] {
            await client.store.recognize([token], as: client.run)
        }
        await client.store.move(client.run, to: .awaitingCallback(session: session))
        return url
    }

    func end(_ request: RecordedRequest, session: String) async {
        await client.finish(
            .exchange,
            .json(
                client.server.publicURL + "/v1/exchange",
                .object([
                    "client_id": .string(HomeClient.id), "provider": .string(client.scenario.provider),
                    "credential": .object([
                        "type": .string("callback"), "session": .string(session), "callback_url": .string(request.url),
                    ]),
                ])),
            note: "The whole callback URL and the session: the server checks that they belong together, then redeems.")
    }
}
