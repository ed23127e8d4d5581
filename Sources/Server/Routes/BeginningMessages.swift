internal import Flows
internal import Jansson
internal import Standards

/// The messages of `POST /v1/signin`, which begins a flow whose redirect URI belongs to the application.
///
/// ```json
/// {"client_id": "my-app", "provider": "yahoo.com", "redirect_uri": "com.example.app:/yahoo",
///  "scopes": ["mail-r"], "parameters": {"prompt": "login"}, "flow": "oauth1",
///  "intent": "link"}
/// ```
enum SignInMessages {
    static func parse(_ body: JSON) throws(Refusal) -> SignInRequest {
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

    private static func purpose(_ members: Members) throws(Refusal) -> AccountIntent.Purpose? {
        guard let text = try members.optionalText("intent", upTo: 32) else { return nil }
        guard let purpose = AccountIntent.Purpose(rawValue: text) else {
            throw .malformedField("intent", "is neither link nor reauthenticate")
        }
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

/// The messages of `POST /v1/nonce`, which issues the nonce for an ID token that the application obtains itself.
///
/// ```json
/// {"client_id": "my-app", "provider": "yahoo.com"}
/// ```
enum NonceMessages {
    static func parse(_ body: JSON) throws(Refusal) -> (client: ClientID, provider: ProviderID) {
        let members = try Members(body, known: ["client_id", "provider"])
        return (
            ClientID(try members.text("client_id", upTo: 128)), ProviderID(try members.text("provider", upTo: 128))
        )
    }

    static func json(_ issued: IssuedNonce) -> JSON {
        .object([
            "nonce": .string(issued.nonce),
            "nonce_verifier": .string(issued.verifier.secretText),
            "expires_in": .integer(issued.expiresIn),
        ])
    }
}

/// The response of `POST /device_authorization` (RFC 8628 §3.2).
enum DeviceAuthorizationMessages {
    static func json(_ begun: DeviceAuthorization, issuer: String) -> JSON {
        let userCode = begun.userCode.description
        return .object([
            "device_code": .string(begun.deviceCode.secretText),
            "user_code": .string(userCode),
            "verification_uri": .string(issuer + Endpoint.device.path),
            "verification_uri_complete": .string(issuer + Endpoint.device.path + "?user_code=" + userCode),
            "expires_in": .integer(begun.expiresIn),
            "interval": .integer(begun.interval),
        ])
    }
}
