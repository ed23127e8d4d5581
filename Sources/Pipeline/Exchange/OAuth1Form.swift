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
