internal import Flows
internal import Jansson
internal import Standards

/// The response of `GET /.well-known/oauth-authorization-server` (RFC 8414 §2): the grants and endpoints that are enabled.
///
/// `GET /.well-known/openid-configuration` returns it too. This server issues no ID token, so that the members which only
/// OpenID Connect requires (`jwks_uri`, `subject_types_supported`, `id_token_signing_alg_values_supported`) are absent.
enum ServerMetadata {
    static func json(_ flows: FlowSet) -> JSON {
        let issuer = flows.issuer
        let grants = flows.clients.values.reduce(into: Set<GrantType>()) { $0.formUnion($1.grants) }
        var members: [String: JSON] = [
            "issuer": .string(issuer),
            "token_endpoint": .string(issuer + Endpoint.token.path),
            "token_endpoint_auth_methods_supported": .array([.string("none")]),
            "grant_types_supported": .array(grants.map(\.rawValue).sorted().map(JSON.string)),
            // RFC 8414 §2 requires the member. It is empty if no client uses the browser flow.
            "response_types_supported": .array([]),
            "service_documentation": .string(issuer + Endpoint.openAPI.path),
        ]
        if grants.contains(.authorizationCode) {
            members["authorization_endpoint"] = .string(issuer + Endpoint.authorize.path)
            members["pushed_authorization_request_endpoint"] = .string(issuer + Endpoint.pushedRequest.path)
            members["response_types_supported"] = .array([.string("code")])
            members["response_modes_supported"] = .array(ResponseMode.names.map(JSON.string))
            members["code_challenge_methods_supported"] = .array([.string("S256")])
            // RFC 9207 §3.
            members["authorization_response_iss_parameter_supported"] = .bool(true)
        }
        if grants.contains(.authorizationCode) || grants.contains(.deviceCode) {
            // RFC 8414 §2 only recommends the member, but oidc-agent does not start without it. Scopes of a provider are
            // not listed, because each of them is valid only there. `openid` is accepted and not listed either: with it a
            // client expects an ID token (OpenID Connect Core §3.1.2.1), and this server issues none.
            members["scopes_supported"] = .array(
                AuthorizationRequest.openIDScopes.filter { $0 != "openid" }.map(JSON.string))
        }
        if grants.contains(.deviceCode) {
            members["device_authorization_endpoint"] = .string(issuer + Endpoint.deviceAuthorization.path)
        }
        return .object(members)
    }
}
