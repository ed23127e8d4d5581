import JOSE
import OpenSSL

/// A sign-in as OAuth libraries perform it: the server is an OAuth 2.0 authorization server (RFC 6749 §4.1, RFC 7636).
struct BrowserFlow {
    let client: RunClient

    private var redirectURI: String { client.origin + HomeClient.callbackPath }

    /// Returns the URL to send the browser to, or `nil` if the run has ended.
    func begin() async throws(Refusal) -> String? {
        guard
            let document = await client.success(.metadata, ServerMetadata.request(to: client.server))
        else { return nil }
        let metadata = ServerMetadata(document, of: client.server)
        guard metadata.isFromServer else {
            await client.store.finish(client.run, with: nil)
            return nil
        }
        let state = try RandomText.make(22)
        // RFC 7636 §4.1.
        let verifier = try RandomText.make(43)
        let challenge = Base64URL.encode(SHA256.hash(Array(verifier.utf8)))
        var parameters = [
            ("response_type", "code"), ("client_id", HomeClient.id), ("redirect_uri", redirectURI), ("state", state),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ("provider", client.provider),
        ]
        if let flow = client.scenario.flow { parameters.append(("flow", flow)) }
        if let mode = client.scenario.responseMode { parameters.append(("response_mode", mode)) }
        let url = metadata.authorization + "?" + FormParameters(parameters).encoded
        let number = await client.store.append(
            .authorize, .get(url), .elsewhere,
            note: """
                The code_verifier stays with the application: only its SHA-256, the code_challenge, travels through the \
                browser. By the state the application recognizes its own sign-in. The server’s page asks you to press a button, \
                because any program on this machine could claim a loopback redirect.
                """, to: client.run)
        guard number != nil else { return nil }
        await client.store.move(
            client.run,
            to: .awaitingCode(state: state, verifier: verifier, tokenEndpoint: metadata.token))
        return url
    }

    /// Redeems the code of a callback whose state has already been checked.
    func end(_ request: RecordedRequest, verifier: String, tokenEndpoint: String) async {
        guard let response = request.response, !response.hasRepeatedName, let code = response["code"],
            // RFC 9207 §2.4.
            response["iss"] == client.server.publicURL
        else {
            await client.store.finish(client.run, with: nil)
            return
        }
        await client.finish(
            .redemption,
            .form(
                tokenEndpoint,
                [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
                    ("client_id", HomeClient.id), ("code_verifier", verifier),
                ]),
            note: "Now the application sends the code_verifier. An attacker who saw the code does not have it.")
    }
}
