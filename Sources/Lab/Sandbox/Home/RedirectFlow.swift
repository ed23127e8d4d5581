import Jansson

/// The application owns the redirect; state, nonce and PKCE are the server's, sealed in a session.
struct RedirectFlow {
    let conversation: Conversation

    /// The provider's URL to send the browser to; nil where the run has ended.
    func begin() async -> String? {
        var body: [String: JSON] = [
            "client_id": .string(HomeClient.id), "provider": .string(conversation.scenario.provider),
            "redirect_uri": .string(conversation.origin + HomeClient.signInCallbackPath),
        ]
        if let flow = conversation.scenario.flow { body["flow"] = .string(flow) }
        let answer = await conversation.success(
            .signIn, .json(conversation.server.publicURL + "/v1/signin", .object(body)),
            note: "The session is sealed: state, nonce and code_verifier are inside, and only the server can open it.")
        guard let answer else { return nil }
        guard let url = answer["authorization_url"]?.string, let session = answer["session"]?.string else {
            await conversation.store.finish(conversation.run, with: nil)
            return nil
        }
        // An OAuth 1.0a flow began with a message between server and provider, known by its token.
        if let token = RecordedRequest.get(url).query?["oauth_token"] {
            await conversation.store.recognize([token], as: conversation.run)
        }
        await conversation.store.move(conversation.run, to: .awaitingCallback(session: session))
        return url
    }

    func end(_ request: RecordedRequest, session: String) async {
        await conversation.finish(
            .exchange,
            .json(
                conversation.server.publicURL + "/v1/exchange",
                .object([
                    "client_id": .string(HomeClient.id), "provider": .string(conversation.scenario.provider),
                    "credential": .object([
                        "type": .string("callback"), "session": .string(session), "callback_url": .string(request.url),
                    ]),
                ])),
            note: "The whole callback URL and the session: the server checks that they belong together, then redeems.")
    }
}
