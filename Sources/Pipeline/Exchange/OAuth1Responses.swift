internal import Providers
internal import Standards
internal import Transport

/// A form-encoded response of OAuth 1.0a.
///
/// The media type is not checked, because X sends these forms as `text/html`.
enum OAuth1Form {
    static func parse(_ response: OutboundResponse) throws(ProviderFailure) -> Parameters {
        // X sends an error, and a proxy a page, also with a status of success.
        let found = response.body.isPage ? "it is a page" : response.body.isJSONText ? "it is JSON" : nil
        guard
            found == nil, response.body.count <= 16 * 1024,
            let text = String(validating: response.body, as: UTF8.self),
            let form = try? Parameters.parse(text)
        else { throw .malformedResponse(ProviderFailure.signedForm, found: found) }
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

/// The response to a request for temporary credentials (RFC 5849 §2.1).
enum TemporaryCredentialsResponse {
    static func parse(_ response: OutboundResponse, codes: ErrorCodes) throws(ProviderFailure) -> TemporaryCredentials {
        let failure = ProviderFailure(ofSigned: response, codes: codes)
        // The request contains nothing but this server's signature, so that a refusal concerns its credentials.
        if [.failed(status: 401), .failed(status: 403)].contains(failure) { throw .refusedClient(.consumerKey) }
        // The request names no person, so that the account is that of the registration.
        if failure == .accountDisabled { throw .refusedClient(.suspended) }
        guard response.status == 200 else { throw failure }
        let form = try OAuth1Form.parse(response)
        let (identifier, secret) = try OAuth1Form.credentials(form)
        // §2.1. Without it the server speaks OAuth 1.0, in which an attacker can choose the callback (session
        // fixation).
        guard form["oauth_callback_confirmed"] == "true" else {
            throw .malformedResponse("oauth_callback_confirmed")
        }
        return TemporaryCredentials(identifier: identifier, sharedSecret: secret)
    }
}

extension ProviderFailure {
    /// Makes the failure of a request with a signature of OAuth 1.0a.
    ///
    /// `oauth_problem` of the OAuth Problem Reporting extension, in the body or in `WWW-Authenticate`, tells a refused signature from
    /// a refused token or verifier.
    init(ofSigned response: OutboundResponse, codes: ErrorCodes) {
        self.init(response, codes: codes)
        guard case .failed(status: 300..<500) = self, !isPassing else { return }
        // A page comes from another server, and the others say that there is no such endpoint.
        let isPage = response.body.isPageOrItsCode && !response.body.isXML
        guard response.status >= 400, !isPage, !Self.absent.contains(response.status) else {
            self = .notTokenEndpoint(status: response.status)
            return
        }
        let texts = [
            String(decoding: response.body.prefix(16 * 1024), as: UTF8.self), response[field: "WWW-Authenticate"] ?? "",
        ]
        let problem = texts.lazy.compactMap { text in
            text.firstMatch(of: /oauth_problem"?\s*[=:]\s*"?([a-z_]{1,40})/).map { String($0.output.1) }
        }.first
        switch problem {
        case "timestamp_refused"?: self = .refusedClient(.clock)
        case "nonce_used"?: self = .refusedClient(.usedNonce)
        case let name? where ["consumer_key_", "signature_"].contains(where: name.hasPrefix):
            self = .refusedClient(.consumerKey)
        default: break
        }
    }
}
