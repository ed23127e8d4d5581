internal import Flows
internal import Jansson
internal import OAuth

/// `POST /v1/signin`: begins a flow for an application that owns its redirect.
///
/// ```json
/// {"client_id": "my-app", "provider": "yahoo.com", "redirect_uri": "com.example.app:/yahoo",
///  "scopes": ["mail-r"], "parameters": {"prompt": "login"}, "flow": "oauth1",
///  "intent": "link"}
/// ```
enum SignInRoute {
    static func parse(_ body: JSON) throws(RequestError) -> SignInRequest {
        let members = try Members(
            body, known: ["client_id", "provider", "redirect_uri", "scopes", "parameters", "flow", "intent"])
        return SignInRequest(
            client: ClientID(try members.text("client_id", upTo: 128)),
            provider: ProviderID(try members.text("provider", upTo: 128)),
            redirectURI: try members.text("redirect_uri"),
            scopes: try members.texts("scopes"),
            parameters: try members.textsByName("parameters"),
            flow: try members.optionalText("flow", upTo: 16),
            purpose: try purpose(members))
    }

    private static func purpose(_ members: Members) throws(RequestError) -> AccountIntent.Purpose? {
        guard let text = try members.optionalText("intent", upTo: 32) else { return nil }
        guard let purpose = AccountIntent.Purpose(rawValue: text) else { throw .malformedField("intent") }
        return purpose
    }

    static func json(_ begun: BegunSignIn) -> JSON {
        .object([
            "authorization_url": .string(begun.authorizationURL.secretText),
            "session": .string(begun.session.secretText),
            "expires_in": .integer(begun.expiresIn),
        ])
    }
}
