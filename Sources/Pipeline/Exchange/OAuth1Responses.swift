internal import OAuth
internal import Providers
internal import Transport

/// The form-encoded answers of OAuth 1.0a.
///
/// X labels them `text/html`, so that the media type says nothing.
enum OAuth1Form {
    static func parse(_ response: OutboundResponse) throws(ProviderFailure) -> Parameters {
        guard
            response.body.count <= 16 * 1024,
            let text = String(validating: response.body, as: UTF8.self),
            let form = try? Parameters.parse(text)
        else { throw .malformedResponse("form") }
        return form
    }

    static func credentials(
        _ form: Parameters
    ) throws(ProviderFailure) -> (identifier: Secret, sharedSecret: Secret) {
        guard let identifier = form["oauth_token"], !identifier.isEmpty else { throw .malformedResponse("oauth_token") }
        guard let secret = form["oauth_token_secret"], !secret.isEmpty
        else { throw .malformedResponse("oauth_token_secret") }
        return (Secret(identifier), Secret(secret))
    }
}

/// The answer to the first request of OAuth 1.0a (RFC 5849 §2.1).
enum TemporaryCredentialsResponse {
    static func parse(_ response: OutboundResponse, codes: ErrorCodes) throws(ProviderFailure) -> TemporaryCredentials {
        let failure = ProviderFailure(response, codes: codes)
        // Our own signature is all that this request carries; a refusal is about us.
        if [.failed(status: 401), .failed(status: 403)].contains(failure) { throw .refusedClient(.credentials) }
        guard response.status == 200 else { throw failure }
        let form = try OAuth1Form.parse(response)
        // §2.1: without it the server speaks the old protocol, in which a callback can be fixed by an attacker.
        guard form["oauth_callback_confirmed"] == "true" else {
            throw .malformedResponse("oauth_callback_confirmed")
        }
        let (identifier, secret) = try OAuth1Form.credentials(form)
        return TemporaryCredentials(identifier: identifier, sharedSecret: secret)
    }
}
