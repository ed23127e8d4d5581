package import Standards
package import Transport

/// The method by which this server authenticates at the token endpoint (OpenID Connect Core §9).
package enum ClientAuthentication: Sendable {
    case clientSecretBasic(Secret)
    case clientSecretPost(Secret)
    case none
}

extension ClientAuthentication: Equatable {
    /// Compares secrets in a time that depends only on their lengths.
    package static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.clientSecretBasic(let ours), .clientSecretBasic(let theirs)),
            (.clientSecretPost(let ours), .clientSecretPost(let theirs)):
            ours.matches(theirs)
        case (.none, .none): true
        case (.clientSecretBasic, _), (.clientSecretPost, _), (.none, _): false
        }
    }
}

extension OutboundRequest {
    /// Makes a POST of a form with client authentication (RFC 6749 §2.3.1).
    package static func post(
        _ endpoint: String, form: [(name: String, value: String)], clientID: String,
        authentication: ClientAuthentication, timeout: Duration
    ) -> OutboundRequest {
        var form = form
        var header = [
            HeaderField("Content-Type", "application/x-www-form-urlencoded"),
            HeaderField("Accept", "application/json"),
        ]
        switch authentication {
        case .clientSecretBasic(let secret):
            header.append(
                HeaderField("Authorization", BasicAuthorization.field(clientID: clientID, clientSecret: secret)))
        case .clientSecretPost(let secret):
            form += [("client_id", clientID), ("client_secret", secret.secretText)]
        case .none:
            form.append(("client_id", clientID))
        }
        return OutboundRequest(
            .post, endpoint, header: header, body: Array(Parameters(form).encoded.utf8), timeout: timeout)
    }
}
