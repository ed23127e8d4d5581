internal import Flows
internal import Jansson
internal import OAuth

/// `POST /v1/nonce`: begins the proof of an ID token that the application obtains by itself.
///
/// ```json
/// {"client_id": "my-app", "provider": "yahoo.com"}
/// ```
enum NonceRoute {
    static func parse(_ body: JSON) throws(RequestError) -> (client: ClientID, provider: ProviderID) {
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
