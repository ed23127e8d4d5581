import Jansson

/// A sign-in in which the application receives the provider's redirect.
///
/// State, nonce and code verifier are in a sealed session of the server.
struct RedirectFlow {
    let client: RunClient

    /// Returns the provider's URL to send the browser to, or `nil` if the run has ended.
    func begin() async -> String? {
        var body: [String: JSON] = [
            "client_id": .string(HomeClient.id), "provider": .string(client.scenario.provider),
            "redirect_uri": .string(client.origin + HomeClient.signInCallbackPath + client.scenario.provider),
        ]
        if let flow = client.scenario.flow { body["flow"] = .string(flow) }
        let answer = await client.success(
            .signIn, .json(client.server.publicURL + "/v1/signin", .object(body)),
            note: "The session is sealed: it contains state, nonce and code_verifier, and only the server can open it.")
        guard let answer else { return nil }
        guard let url = answer["authorization_url"]?.string, let session = answer["session"]?.string else {
            await client.store.finish(client.run, with: nil)
            return nil
        }
        // An OAuth 1.0a flow starts with a message from the server to the provider. Its token assigns it to this run.
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
            note: "The server checks that the callback URL and the session belong together, then redeems the code.")
    }
}
