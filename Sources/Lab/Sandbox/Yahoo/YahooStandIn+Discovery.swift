import Jansson
import OpenSSL

extension YahooStandIn {
    /// `/openid/v1/certs`.
    func keySet() throws(Refusal) -> JSON {
        do {
            return try keys.json()
        } catch {
            throw Refusal(500, "INTERNAL_ERROR", "No key could be made.")
        }
    }

    /// Yahoo's discovery document, with this origin.
    ///
    /// Like Yahoo's it names the revocation endpoint differently from RFC 8414, and does not mention PKCE.
    var discovery: JSON {
        func strings(_ values: String...) -> JSON { .array(values.map { .string($0) }) }
        func url(_ endpoint: Endpoint) -> JSON { .string(origin + endpoint.path) }
        return .object([
            "issuer": .string(origin),
            "authorization_endpoint": url(.yahooAuthorize),
            "token_endpoint": url(.yahooToken),
            "introspection_endpoint": url(.yahooIntrospect),
            "userinfo_endpoint": url(.yahooUserinfo),
            "token_revocation_endpoint": url(.yahooRevoke),
            "jwks_uri": url(.yahooCerts),
            "response_types_supported": strings(
                "code", "token", "id_token", "code token", "code id_token", "token id_token", "code token id_token"),
            "response_modes_supported": strings("query"),
            "grant_types_supported": strings("authorization_code", "refresh_token"),
            "subject_types_supported": strings("public"),
            "id_token_signing_alg_values_supported": strings("ES256", "RS256"),
            "scopes_supported": strings("openid", "openid2", "profile", "email"),
            "acr_values_supported": strings("AAL1", "AAL2"),
            "token_endpoint_auth_methods_supported": strings("client_secret_basic", "client_secret_post"),
            "claims_supported": strings(
                "aud", "email", "email_verified", "birthdate", "exp", "family_name", "given_name", "iat", "iss",
                "locale", "name", "sub", "auth_time"),
            "display_values_supported": strings("page"),
            "claims_parameter_supported": .bool(false),
            "request_parameter_supported": .bool(false),
            "request_uri_parameter_supported": .bool(false),
        ])
    }
}
