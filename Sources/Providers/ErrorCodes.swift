internal import Jansson
internal import Transport

/// Why a provider refuses the registration of this server.
///
/// Only an operator can correct it.
package enum ClientRefusal: String, Sendable, Equatable, CaseIterable {
    /// The provider refuses the client credentials, or a signature made with them.
    case credentials
    /// The provider refuses the client at its introspection endpoint, which may be another decision than at the token endpoint.
    case introspection
    /// The provider refuses a client that sends no secret.
    case noSecret = "no_secret"
    /// The provider refuses the consumer key, or the signature made with its secret (RFC 5849).
    case consumerKey = "consumer_key"
    /// The provider refuses the client, and its metadata names `client_secret_post` and not the method of the configuration.
    case needsPost = "client_secret_post"
    /// The same with `client_secret_basic`.
    case needsBasic = "client_secret_basic"
    /// The same with `private_key_jwt`, without a method that has a secret in the request.
    case needsAssertion = "private_key_jwt"
    /// The provider refuses the client, and its metadata names only methods of authentication that this server does not have.
    case unknownMethod = "token_endpoint_auth_methods_supported"
    /// The provider refuses the JWT of `private_key_jwt`.
    case assertion = "client_assertion"
    /// The token endpoint does not accept the grant type of the request (RFC 6749 §5.2).
    case grantType = "unsupported_grant_type"
    /// Apple refuses the JWT that is the client secret.
    case appleSecret = "apple_secret"
    /// The provider refuses the timestamp of a signature.
    case clock
    /// The provider has seen the nonce of a signature before (RFC 5849 §3.3).
    case usedNonce = "nonce_used"
    /// The registration has no credit, or no plan that includes this call.
    case credit
    /// The access tier or the permissions of the registration do not include this call.
    case accessTier = "access_tier"
    /// The registration is not enrolled, for example in a project of X.
    case enrolment
    /// The registration is suspended.
    case suspended
    /// The provider names a reason that this program does not know, or none.
    case unknownReason = "unknown_reason"
    /// The provider does not know the client at the address of this tenant or environment.
    case unknownClient = "unknown_client"
    /// The registration is that of a single-page application.
    case singlePageApplication = "single_page_application"
    /// The registration is that of a client without a secret.
    case publicClient = "public_client"
    /// The registration does not have the redirect URI.
    case callbackNotApproved = "callback_not_approved"

    /// Why the server may send another secret than the file or the variable has now.
    private static let timeOfReading =
        "A running server has read file: values at its start or last reload, and env: values at its start."

    /// The instruction for the operator.
    package var advice: String {
        switch self {
        case .credentials:
            "If what the provider says does not name another cause: compare client id and secret in the configuration with those that "
                + "the provider shows, and renew the secret if it was revoked or has expired. If both are right, try the other value of "
                + "token_endpoint_auth, if the section has it: some providers accept only one of client_secret_post, client_secret_basic "
                + "and private_key_jwt, or for a client without a secret only none, or do not decode special characters in "
                + "client_secret_basic. For unauthorized_client also compare the grant types and the type of the client in its "
                + "registration. \(Self.timeOfReading)"
        case .introspection:
            "If doctor says that the token endpoint accepts the credentials, this client may not introspect: allow it at the "
                + "provider, or leave access_token out of accept. Otherwise do what doctor says about the credentials."
        case .noSecret:
            "This section sends no secret (token_endpoint_auth: none). If the provider shows one for this client, write "
                + "client_secret and remove that line; otherwise compare client_id, and register the client there as one without a "
                + "secret."
        case .consumerKey:
            "If what the provider says does not name another cause: compare consumer_key and consumer_secret in the configuration with "
                + "those that the provider shows, and renew them if they were revoked. If both are right, compare the redirect URI "
                + "that token-exchange doctor prints with the registration, and synchronize the clock of this machine with NTP. "
                + Self.timeOfReading
        case .needsPost:
            "The provider's metadata names client_secret_post and not the method in use: write token_endpoint_auth: "
                + "client_secret_post with client_secret, and without client_key. The secret of Apple is made by client_secret.apple."
        case .needsBasic:
            "The provider's metadata names client_secret_basic and not the method in use: write token_endpoint_auth: "
                + "client_secret_basic with client_secret, and without client_key."
        case .needsAssertion:
            "The provider's metadata names private_key_jwt, and no method with a client secret in the request: write "
                + "token_endpoint_auth: private_key_jwt with client_key in place of client_secret, and register the public key at the "
                + "provider. If it can, "
                + "choose client_secret_basic for this client in its settings instead."
        case .unknownMethod:
            "The provider's metadata (token_endpoint_auth_methods_supported) names none of client_secret_basic, client_secret_post, "
                + "private_key_jwt and none, which this server has: choose one of these for this client in the provider's settings."
        case .unknownClient:
            "The provider does not know this client at the address of the tenant or environment: compare client_id, and issuer or "
                + "endpoints with the tenant or environment that has the registration."
        case .singlePageApplication:
            "The redirect URI is registered at the provider for a single-page application, whose codes only a browser can redeem. "
                + "Register it for the platform Web instead."
        case .publicClient:
            "The provider takes the client for a public one, which has no secret. Register the redirect URI for the platform Web "
                + "instead, or write token_endpoint_auth: none and pkce: S256, without client_secret."
        case .assertion:
            "Look in the provider's documentation whether it accepts private_key_jwt: Apple does not, and needs client_secret.apple. "
                + "Compare client_id, client_key.key_id and the public key of client_key.key with the registration at the provider. "
                + "Synchronize the clock of this machine with NTP, because each JWT is valid for a minute. If all of this is "
                + "right, write client_key.audience: some providers expect their issuer there, and not the URL of the token "
                + "endpoint. \(Self.timeOfReading)"
        case .appleSecret:
            "Compare client_id, which is the Services ID and not the App ID, and key_id and team_id of client_secret.apple with "
                + "those in Apple's developer account, where the key must be enabled for Sign in with Apple and not revoked. "
                + "Synchronize the clock of this machine with NTP. If client_secret is a JWT that was made elsewhere, write "
                + "client_secret.apple in its place, with which this server makes one for each request. \(Self.timeOfReading)"
        case .grantType:
            "Allow this client the grant type authorization_code in the provider's settings (refresh_token as well, if applications "
                + "refresh tokens), and compare the type of the client there. If both are right, compare \(ProviderEndpoint.token.key) "
                + "with the provider's documentation. Then look how it wants client_id and the secret, and try the other value of "
                + "token_endpoint_auth, if the section has it."
        case .clock: "Set the clock of this machine and synchronize it with NTP."
        case .usedNonce:
            "Each request of this server has a new random nonce. If a proxy on the way repeats requests, as server.outbound_proxy or "
                + "one in front of the provider may, switch that off for POST. If none does, compare the clock of this machine with "
                + "that of the provider (the field Date of its answers), and synchronize it with NTP."
        case .credit: "Add credit, or choose a plan that includes these calls, in the provider's developer console."
        case .accessTier:
            "Raise the access tier, or add the permission, of the registration in the provider's developer console."
        case .enrolment:
            "Attach the application to a project, and check its plan and billing, in the provider's developer console."
        case .unknownReason:
            "If what the provider says does not name the cause: check enrolment, plan, billing, permissions and type of the "
                + "registration in its developer console, and compare scopes, if the section has them, with its documentation."
        case .suspended:
            "The provider has suspended the registration, or the account that owns it. Read the reason in its developer console."
        case .callbackNotApproved:
            "Add the redirect URI character for character to the registration in the provider's developer console: that which "
                + "token-exchange doctor prints, or that of the application if it sends its own codes."
        }
    }
}

/// The meaning of the codes in the body of a refusal, for an API whose status does not show the cause.
///
/// Five forms are read: `{"errors": [{"code": 64}]}`, `{"error": {"code": 64}}`, `<errors><error code="64">`, `{"error_codes":
/// [700025]}` with the codes of Microsoft Entra, and the `type` or `reason` of problem details (RFC 9457).
package struct ErrorCodes: Sendable, Equatable {
    /// The codes that concern the registration of this server.
    package var refusals: [Int64: ClientRefusal] = [:]
    /// The codes for a suspended, locked or deleted account of the person.
    package var disabledAccounts: Set<Int64> = []
    /// The problems, by the last part of `type` or by `reason`.
    package var problems: [String: ClientRefusal] = [:]
    /// The problems of a suspended, locked or deleted account of the person.
    package var accountProblems: Set<String> = []
    /// Parts of the sentences, in lower case, by which an answer without a known code refuses the registration.
    package var sentences: [String: ClientRefusal] = [:]
    /// The values of `error` (RFC 6749 §5.2), in lower case, by which the token endpoint refuses a grant.
    package var grantErrors = ErrorCodes.standardGrantErrors
    /// The codes of an object `error` by which the token endpoint refuses a grant.
    package var grantCodes: Set<Int64> = []
    /// The values of `message`, in lower case, by which a token endpoint that sends no `error` refuses the client
    /// credentials.
    package var clientMessages = ErrorCodes.standardClientMessages

    package static let none = ErrorCodes()
    /// Whether the provider names what it refuses to a registration, so that its 403 for a token is about one.
    package var hasProblems: Bool { !problems.isEmpty }
    /// `invalid_grant`, and the words of single providers that can have no other meaning.
    package static let standardGrantErrors: Set<String> = [
        "invalid_grant", "invalid_refresh_token", "bad_refresh_token", "token_revoked", "token_expired", "invalid_code",
        "code_already_used", "code_expired", "bad_verification_code",
    ]
    /// The values of `message`, in lower case, by which a token endpoint that sends no error code refuses a grant.
    package static let grantMessages: Set<String> = ["invalid authorization code", "invalid refresh token"]
    package static let standardClientMessages: Set<String> = [
        "invalid client", "invalid client secret", "invalid client credentials",
    ]
    /// The codes AADSTS of Microsoft Entra that concern the registration of this server.
    ///
    /// - SeeAlso: <https://learn.microsoft.com/entra/identity-platform/reference-error-codes>
    private static let microsoft: [Int64: ClientRefusal] = [
        9_002_325: .singlePageApplication, 9_002_327: .singlePageApplication, 700_025: .publicClient,
        50_011: .callbackNotApproved, 700_016: .unknownClient, 90_002: .unknownClient,
    ]

    /// Returns the failure that the body names, or `nil` if it has no known code.
    func failure(of response: OutboundResponse) -> ProviderFailure? {
        let answer = try? JSON.parse(tolerantly: response.body)
        let codes =
            answer.map { answer in
                ((answer["errors"]?.array ?? []) + [answer["error"]].compactMap(\.self)).compactMap {
                    $0["code"]?.integer
                }
            }
            ?? Self.codes(xml: response.body)
        if codes.contains(where: disabledAccounts.contains) { return .accountDisabled }
        if let refusal = codes.lazy.compactMap({ refusals[$0] }).first { return .refusedClient(refusal) }
        let numbers = (answer?["error_codes"]?.array ?? []).lazy.compactMap(\.integer)
        if let refusal = numbers.compactMap({ Self.microsoft[$0] }).first { return .refusedClient(refusal) }
        return answer.flatMap(problem) ?? sentence(in: response.body).map(ProviderFailure.refusedClient)
    }

    private func sentence(in body: [UInt8]) -> ClientRefusal? {
        guard !sentences.isEmpty, body.count <= 64 * 1024 else { return nil }
        let text = String(decoding: body, as: UTF8.self).lowercased()
        return sentences.first { text.contains($0.key) }?.value
    }

    /// The values of the attributes `code` in a text with elements, such as `<error code="415">`.
    private static func codes(xml bytes: [UInt8]) -> [Int64] {
        guard bytes.count <= 64 * 1024, bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "<") else {
            return []
        }
        return String(decoding: bytes, as: UTF8.self).matches(of: /\scode\s*=\s*["'](\d{1,9})["']/)
            .compactMap { Int64($0.output.1) }
    }

    /// Returns the failure that problem details in the body name, or `nil` if they name no known one.
    func problem(of response: OutboundResponse) -> ProviderFailure? {
        guard !problems.isEmpty else { return nil }
        return (try? JSON.parse(tolerantly: response.body)).flatMap(problem)
    }

    private func problem(in answer: JSON) -> ProviderFailure? {
        let type = answer["type"]?.string?.split(separator: "/").last.map(String.init)
        if [type, answer["reason"]?.string].contains(where: { $0.map(accountProblems.contains) == true }) {
            return .accountDisabled
        }
        // The reason is more exact than the type, and than a general type also if it is not known.
        if let reason = answer["reason"]?.string, !reason.isEmpty {
            if let refusal = problems[reason] { return .refusedClient(refusal) }
            if type.flatMap({ problems[$0] }) == .accessTier { return .refusedClient(.unknownReason) }
        }
        return type.flatMap { problems[$0] }.map(ProviderFailure.refusedClient)
    }
}
