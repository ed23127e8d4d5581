internal import JOSE
package import Jansson
package import Standards

/// An OAuth 2.0 authorization server without OpenID Connect, and the registration of this deployment with it.
///
/// The identity comes from a user endpoint, which accepts the tokens of every application. Therefore only a token may be
/// sent there that this server redeemed itself, or of which ``introspection`` names the application.
package struct OAuth2: Sendable, Equatable {
    package var clientID = ""
    package var clientAuthentication = ClientAuthentication.none
    package var scopes: [String] = []
    /// The scopes without which the user endpoint refuses a token.
    package var requiredScopes: Set<String> = []
    package var scopeSeparator = ScopeSeparator.space
    /// Parameters of every authorization request, which no application can set.
    package var authorizationParameters: [String: String] = [:]
    /// Parameters of every request with which this server authenticates.
    package var tokenParameters: [String: String] = [:]
    package var pkce = ProofKeyMethod.s256
    /// How to request a new login; `nil` if the provider does not support it.
    package var freshLogin: FreshLogin?
    /// The `iss` of authorization responses (RFC 9207), if the provider sends one; `nil` if it is not known.
    package var issuer: String?
    package var authorizationEndpoint = ""
    package var tokenEndpoint = ""
    /// The revocation endpoint (RFC 7009).
    package var revocationEndpoint: String?
    package var user: UserEndpoint
    package var emails: EmailEndpoint?
    package var introspection: TokenIntrospection?
    package var errorCodes = ErrorCodes.none
}

extension OAuth2 {
    /// Whether `iss` in an authorization response (RFC 9207 §2.4) can be that of this provider.
    ///
    /// A provider may begin to send `iss` at any time. If the registration does not name it, its host has to be that of the
    /// authorization endpoint: a response of another provider is refused.
    package func accepts(issuer text: String) -> Bool {
        if let issuer { return text.exactlyEquals(issuer) }
        func host(_ url: String) -> Substring? {
            let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            return parts.count >= 3 && parts[0] == "https:" && parts[1].isEmpty ? parts[2] : nil
        }
        return host(text).map { $0.exactlyEquals(host(authorizationEndpoint) ?? "") } ?? false
    }
}

/// What stands between the scopes of an authorization request.
package enum ScopeSeparator: String, Sendable, CaseIterable {
    /// RFC 6749 §3.3.
    case space
    case comma

    package func join(_ scopes: [String]) -> String {
        switch self {
        case .space: scopes.joined(separator: " ")
        case .comma: scopes.joined(separator: ",")
        }
    }
}

/// An endpoint that names the application to which an access token was issued: RFC 7662, or a provider's own form of it.
package struct TokenIntrospection: Sendable, Equatable {
    /// ``clientIDPlaceholder`` in it stands for the client id.
    package var url: String
    package var placement: TokenPlacement
    /// The name of the parameter or member with the token, or the scheme of the field `Authorization`.
    package var tokenName: String
    package var authentication: Authentication
    /// The place of the application in the answer: a text, or an integer.
    package var application: JSONPointer
    /// The application's own id at this endpoint; `nil` if it is the client id.
    package var applicationID: String?
    /// The place of the person; `nil` if the answer names none.
    package var subject: JSONPointer?
    /// The place of the value that is `true` for a valid token; `nil` if the status says it.
    package var active: JSONPointer?
    /// The place of the expiry, in seconds since 1970; `nil` if the answer names none.
    package var expiry: JSONPointer?

    package static let clientIDPlaceholder = "{client_id}"

    /// Where a request carries the token, which also decides its method.
    package enum TokenPlacement: String, Sendable, CaseIterable {
        /// The field `Authorization` of a GET.
        case authorization
        /// The query of a GET.
        case query
        /// The form of a POST.
        case form
        /// The JSON object of a POST.
        case json
    }

    /// How this server authenticates at the endpoint.
    package enum Authentication: String, Sendable, CaseIterable {
        case none
        /// As at the token endpoint.
        case client
        /// With the client id and secret in the field `Authorization` (RFC 7617).
        case basic
        /// With the parameter `access_token` of the query, which is the client id, a vertical bar and the secret.
        case appToken = "app_token"
    }

    /// The form of RFC 7662.
    package static func standard(_ url: String) -> Self {
        Self(
            url: url, placement: .form, tokenName: "token", authentication: .client, application: "/client_id",
            subject: "/sub", active: "/active", expiry: "/exp")
    }
}

/// A provider that supports OAuth 2.0 without OpenID Connect, as data: what its documentation says, and the registration of
/// this deployment.
///
/// The initial values are those of a provider about which nothing is known. A template (``ProviderTemplate``) has other
/// ones, and the configuration replaces those that have a key.
package struct OAuth2Registration: Sendable, Equatable {
    /// The name that pages show; `nil` for the provider's id.
    package var name: String?
    package var oauth2 = OAuth2(
        user: UserEndpoint(
            url: "", query: [:], queryWithoutEmail: nil, mapping: ProfileMapping()))
    package var tokenEndpointAuthentication = TokenEndpointAuthentication.clientSecretBasic
    package var allowedScopes: [String] = []
    package var allowedParameters: [String] = []
    package var acceptedCredentials = [CredentialType.authorizationCode]
    package var emailTrust = EmailTrust.claim
    package var profileRule = ProfileRule.always
    package var maximumCalls = Provider.defaultMaximumCalls
    /// `OutboundRequest.plainHTTPHosts` for the back-channel endpoints.
    package var plainHTTPHosts: [String] = []
    package var timeout = Duration.seconds(10)
    /// The hosts of loopback that the provider registers with `http`: none if it registers only `https`; `nil` for all, and if
    /// nothing else is known.
    package var loopbackHosts: [String]?
    /// The page of the provider on which an application is registered.
    package var console: String?
    /// The lines that the section of this provider needs beside `client_id` and `client_secret`, or in place of the latter.
    package var example: [String] = []

    package init() {}

    package func provider(_ id: ProviderID) -> Provider {
        Provider(
            id: id, name: name ?? id.text, protocols: ["oauth2": .oauth2(oauth2)], defaultFlow: "oauth2",
            acceptedCredentials: Set(acceptedCredentials), allowedScopes: Set(allowedScopes),
            allowedParameters: Set(allowedParameters), emailTrust: emailTrust, timeout: timeout,
            profileRule: profileRule, maximumCalls: maximumCalls, plainHTTPHosts: plainHTTPHosts)
    }
}
