package import Standards
package import Transport

/// The method by which this server authenticates at the token endpoint (OpenID Connect Core §9).
package enum ClientAuthentication: Sendable {
    case clientSecretBasic(Secret)
    case clientSecretPost(Secret)
    case none
}

/// The methods of ``ClientAuthentication`` by their registered names.
package enum TokenEndpointAuthentication: String, Sendable, CaseIterable {
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    /// A public client, which has no secret.
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

extension ClientAuthentication {
    /// The client secret, or an empty text.
    package var secretText: String {
        switch self {
        case .clientSecretBasic(let secret), .clientSecretPost(let secret): secret.secretText
        case .none: ""
        }
    }

    /// The field `Authorization` of RFC 7617, whatever the method at the token endpoint is.
    package func basicField(clientID: String) -> HeaderField {
        HeaderField("Authorization", BasicAuthorization.field(clientID: clientID, clientSecret: Secret(secretText)))
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
