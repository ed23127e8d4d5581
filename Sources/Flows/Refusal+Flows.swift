package import Providers
internal import SecondFactors
package import Standards

/// The refusals of the flows that several rules throw; any other one stands at its rule.
extension Refusal {
    package static let unknownProvider = Refusal(
        .unknownProvider, "No provider with this id is configured. Check the provider id.")

    /// The browser posted the response of a provider that was asked for a redirect.
    ///
    /// - Parameter provider: The id of a configured provider.
    /// - Returns: A refusal that names the setting to the operator.
    package static func unexpectedForm(of provider: ProviderID) -> Refusal {
        Refusal(
            .methodNotAllowed,
            "The provider posted its response as a form, and is not configured for that. The operator can change "
                + "response_mode of the provider, here or in its registration there.",
            finding:
                "the browser posted a response of \(provider.text), and its section asks for a redirect: if the provider requires a "
                + "form, and the section uses OpenID Connect, write response_mode: form_post; otherwise the provider has to redirect "
                + "with the response in the query",
            .methods(["GET"]))
    }

    package static let unsupportedCredential = Refusal(
        .unsupportedCredential,
        "This provider does not accept credentials of this type. Use one of the types in accept of the provider.")

    package static func unsupportedCredential(
        _ type: CredentialType, accepting accepted: Set<CredentialType>
    ) -> Refusal {
        unsupportedCredential.with(
            finding: "the type is \(type.rawValue), and accept of the provider has \(listed(accepted.map(\.rawValue)))")
    }

    /// - Parameters:
    ///   - uri: The redirect URI of the request. The log of the operator shows it without its query, which may contain a code,
    ///     also if it begins without its question mark, or if the URI was percent-encoded too often.
    ///   - key: The key of the client in the configuration.
    ///   - registered: The URIs that the key has for this request.
    static func redirectURINotAllowed(
        _ uri: String, in key: String, of client: ClientID, registered: [String]
    ) -> Refusal {
        Refusal(
            .redirectURINotAllowed,
            "The redirect_uri is not configured for this client and endpoint. Send a configured one without any "
                + "change.",
            finding: "the redirect_uri is \(shown(uri)), and clients.\(client.text).\(key) has "
                + (registered.isEmpty ? "none" : registered.joined(separator: " and ")))
    }

    /// A code with another redirect URI than its authorization request had (RFC 6749 §4.1.3), from a caller that has proven
    /// that the code is its own.
    static func otherRedirectURI(_ uri: String, than asked: String) -> Refusal {
        Refusal(
            .codeRejected,
            "The redirect_uri is another one than in the authorization request of this code. Send the same one, with its port.",
            finding: "the redirect_uri is \(shown(uri)), and that of the authorization request was \(shown(asked))")
    }

    /// Returns what the log of the operator shows of a redirect URI: of its query or fragment only the first
    /// character, such as `?…`.
    private static func shown(_ uri: String) -> String {
        let address = address(of: uri)
        let mark = uri.utf8.dropFirst(address.utf8.count).first
        // `shown` writes a question mark for a space, which would look like the beginning of a query.
        return address.replacing(" ", with: "[space]").shown + (mark.map { "\(Unicode.Scalar($0))…" } ?? "")
    }

    /// Returns the part of a URI before its query or its fragment.
    private static func address(of uri: String) -> String {
        let octets = Array(uri.utf8)
        let end = octets.indices.first { index in
            guard octets[index] == UInt8(ascii: "%") else { return "?#&;=".utf8.contains(octets[index]) }
            var digits = octets[(index + 1)...]
            // A percent sign that was encoded again.
            while digits.starts(with: "25".utf8) { digits = digits.dropFirst(2) }
            let octet = String(decoding: digits.prefix(2), as: UTF8.self)
            return ["3F", "23", "26", "3B", "3D"].contains(octet.uppercased())
        }
        return String(decoding: octets[..<(end ?? octets.endIndex)], as: UTF8.self)
    }

    package static let codeVerifierRequired = Refusal(
        .pkceRequired, "The code_verifier is missing. Send it, because PKCE is required (RFC 7636 section 4.5).")

    package static func codeVerifierRequired(in parameters: Parameters) -> Refusal {
        codeVerifierRequired.with(finding: other(than: "code_verifier", in: parameters))
    }

    package static let codeVerifierMalformed = Refusal(
        .malformedBody,
        "The code_verifier is malformed. Send 43 to 128 unreserved characters (RFC 7636 section 4.1).")

    package static let scopeNotAllowed = Refusal(
        .invalidScope,
        "A scope is not allowed for this provider. Omit it, or add it to allowed_scopes of the provider. OAuth 1.0a has no "
            + "scopes.")

    /// - Parameter configured: The scopes of every request to the provider.
    package static func scopeNotAllowed(at provider: Provider, beside configured: [String]) -> Refusal {
        scopeNotAllowed.with(
            finding: "a scope is none of scopes and allowed_scopes of the provider, which has "
                + listed(configured + provider.allowedScopes))
    }

    package static let nonceRequired = Refusal(
        .missingField,
        "The member nonce is missing. Send the nonce of the authorization request or, if it is from POST "
            + "/v1/nonce, the nonce_verifier of that response.")

    package static let nonceMismatch = Refusal(
        .nonceMismatch,
        "The nonce is not a nonce_verifier that POST /v1/nonce issued for this client_id and provider. Send the "
            + "nonce_verifier whose nonce was sent to the provider."
    ).unopened(.ofClient, "the nonce_verifier")

    package static let nonceOfOtherProvider = nonceMismatch.with(
        finding: "the nonce_verifier was issued for another provider than that of the request")

    /// The nonce of an authorization request of this server, which an application posts with a code.
    package static let nonceOfFlow = Refusal(
        .nonceMismatch,
        "This nonce belongs to a sign-in that this server began. End that sign-in with its session, or in its browser.")

    package static let otherPurpose = Refusal(
        .intentMismatch,
        "This sign-in began with a different intent. Use it at the endpoint of that intent, or begin again with "
            + "the intent of this endpoint.")

    /// - Parameter begun: The purpose with which the sign-in began; `nil` to sign in.
    package static func otherPurpose(
        _ begun: AccountIntent.Purpose?, than wanted: AccountIntent.Purpose?
    ) -> Refusal {
        let names = [begun, wanted].map { $0.map { "intent=\($0.rawValue)" } ?? "no intent" }
        return otherPurpose.with(
            finding: "the sign-in began with \(names[0]), and this endpoint needs one with \(names[1])")
    }

    /// The credential of a request to reauthenticate.
    package static let freshLoginUnavailable = Refusal(
        .freshLoginUnavailable,
        "This credential cannot prove that the user has just signed in. Begin a flow with intent=reauthenticate.")

    /// The provider of a flow with `intent=reauthenticate`, or its protocol.
    package static let freshLoginUnsupported = Refusal(
        .freshLoginUnavailable,
        "This provider cannot be asked to let the user sign in again, or not with this flow. Omit flow, or reauthenticate with "
            + "another provider of the account. For X, the configuration needs the oauth1 keys.")

    package static let requestTooLarge = Refusal(
        .malformedBody,
        "The request is too large. Send a shorter state, scope or set of provider parameters.")

    package static let codeChallengeRequired = Refusal(
        .pkceRequired,
        "PKCE is required. Send code_challenge and code_challenge_method=S256 (RFC 7636 section 4.3).")

    static func codeChallengeRequired(_ finding: String) -> Refusal {
        codeChallengeRequired.with(finding: finding)
    }

    static func codeChallengeRequired(in parameters: Parameters) -> Refusal {
        codeChallengeRequired(other(than: "code_challenge", in: parameters) ?? "code_challenge is missing")
    }

    /// Names the mistakes of programs that make the challenge without a library for OAuth.
    static func codeChallengeMalformed(_ challenge: String) -> Refusal {
        let problem =
            switch challenge.utf8.count {
            case 44 where challenge.hasSuffix("="): "has padding. Remove the equals sign at its end"
            case 64 where challenge.allSatisfy(\.isHexDigit):
                "is hexadecimal. Encode the 32 octets of the hash in base64url"
            case 86, 88:
                "is the encoding of 64 octets, as of hexadecimal digits. Encode the 32 octets of the hash in base64url"
            case 43: "is not the base64url of 32 octets. Write - for +, _ for / and no padding"
            case let count: "has \(count) octets. Send the SHA-256 of code_verifier in base64url, which has 43"
            }
        return Refusal(.malformedBody, "The parameter code_challenge \(problem) (RFC 7636 section 4.2).")
    }

    package static let grantNotAllowed = Refusal(
        .unauthorizedClient,
        "The client may not use this grant. Add the grant to the grants of the client.")

    package static func grantNotAllowed(_ grant: GrantType, of client: RegisteredClient) -> Refusal {
        grantNotAllowed.with(
            finding: "the request needs \(name(of: grant)), and clients.\(client.id.text).grants has "
                + listed(client.grants.map { name(of: $0) }))
    }

    /// The name of a grant in the configuration, such as `token_exchange`.
    private static func name(of grant: GrantType) -> String {
        String(grant.rawValue.split(separator: ":").last ?? "").replacing("-", with: "_")
    }

    package static let unknownBrowserFlow = Refusal(
        .sessionInvalid,
        "This browser has no such sign-in. It has ended, or it began in another browser. Begin again.")

    package static let emailDomainNotAllowed = Refusal(
        .emailDomainNotAllowed,
        "This client admits only users with a verified email address of certain domains, and the provider "
            + "returned no such address. Sign in with another identity.")

    package static let handoffRejected = Refusal(
        .codeRejected,
        "The code is not valid for this client_id and redirect_uri, or it failed too often. Sign in again.")

    package static let unknownPendingCredential = Refusal(
        .codeRejected,
        "The pending_credential is not valid for this client, provider and account. Begin again.")

    package static let pendingCredentialExpired = Refusal(
        .expired,
        "The pending_credential is older than ten minutes (five for a second factor), or its identity has moved to another account "
            + "since. Begin again.")

    package static let otherUse = Refusal(
        .intentMismatch,
        "The pending_credential may not be used at this endpoint. One of account_exists_with_different_credential is for "
            + "/v1/account/link. One of credential_already_in_use is for /v1/account/link and /v1/account/merge, and for "
            + "/v1/exchange if its response names that. One of second_factor_required is for /v1/exchange, with the type "
            + "second_factor.")

    package static let slowDown = Refusal(
        .slowDown, "This poll came too soon. Add five seconds to the interval between polls.")

    package static let unknownDeviceCode = Refusal(
        .codeRejected, "The device_code is not valid for this client. Begin again.")

    package static let unknownUserCode = Refusal(
        .codeRejected,
        "No device is waiting for this user code. Enter the code that the device shows now.")

    package static let takenUserCode = Refusal(
        .codeRejected,
        "Another browser has confirmed this user code, or it was already used. Get a new code on the device.")

    package static let unknownRequestURI = Refusal(
        .sessionInvalid, "The request_uri is not valid for this client_id. Push the request again at /par."
    ).unopened(.ofClient, "the request_uri")

    package static let unknownForm = Refusal(
        .sessionInvalid, "The form is not valid for this browser and step. Open /device again.")

    /// The person has decided otherwise before, so that the device has its answer.
    package static let submittedForm = Refusal(.replayed, "The form was already submitted. Open /device again.")

    package static let expiredForm = Refusal(.expired, "The form is older than ten minutes. Open /device again.")

    package static let invalidSession = Refusal(
        .sessionInvalid,
        "The session is not valid for this client_id and provider. Begin again at POST /v1/signin."
    ).unopened(.ofClient, "the session")

    package static let sessionOfOtherProvider = invalidSession.with(
        finding: "the session began at another provider than that of the request")

    /// The configuration has changed since the flow began.
    package static let protocolGone = Refusal(
        .sessionInvalid,
        "The provider is no longer configured with the protocol with which this sign-in began. Begin again.")

    package static let callbackOfOtherProvider = Refusal(
        .sessionInvalid, "The callback has the path of another provider than this sign-in. Begin again.")

    /// The provider sent the browser to another path than that of the redirect URI, to which the browser of the flow came.
    ///
    /// It is refused although the flow is known: a redirect URI is compared without any change (RFC 9700 §4.1.3), and an
    /// endpoint has one path.
    ///
    /// - Returns: A refusal that names both paths to the operator.
    package static func callbackElsewhere(_ path: ProviderID, of provider: ProviderID) -> Refusal {
        Refusal(
            .callbackMismatch,
            "The provider sent the browser to another path than that of the redirect URI. The operator must register it "
                + "without any change.",
            finding:
                "the provider sent the browser to /callback/\(path.text.shown), and the redirect URI of the request ends "
                + "with /callback/\(provider.text)",
            retry: .never, cause: CallbackPath.other)
    }

    package static let sessionExpired = Refusal(.expired, "The session is older than ten minutes. Begin again.")

    package static let stateMismatch = Refusal(
        .stateMismatch,
        "The callback belongs to another sign-in: its state or oauth_token is different. Send the "
            + "callback of this session, or begin again.")

    /// No other sign-in is at fault: the provider, or an application on the way, has dropped the parameter.
    package static let stateMissing = Refusal(
        .stateMismatch,
        "The callback has no state (or oauth_token, with OAuth 1.0a). Send the whole callback as the browser received it, or begin "
            + "again.",
        finding:
            "the callback has no state (or oauth_token, with OAuth 1.0a), which the provider must return; or the sign-in did not begin "
            + "at this server, whose authorization requests all have one")

    /// Returns the refusal of a response without `state`, which says why it probably has none.
    static func stateMissing(in parameters: Parameters) -> Refusal {
        guard parameters[CallbackURL.escapedState] == nil else {
            return stateMissing.with(
                finding:
                    "the callback has &amp; in place of &: the application, or a page on the way, has to send the URL as "
                    + "received, and not as in HTML")
        }
        guard parameters.pairs.isEmpty else {
            return stateMissing.quoting(ProviderWords.of(parameters, without: []))
        }
        return stateMissing.with(
            finding:
                "the callback has none of the parameters of a response. If its address has no query, the provider wrote the response "
                + "after #, where no server can read it, and must write it into the query; or a proxy removed the query; or the "
                + "person has meanwhile signed in at the provider in another tab; or the address was opened without a sign-in. If it "
                + "has other parameters, such as response or SAMLResponse, the provider must send code and state (RFC 6749 section "
                + "4.1.2), or oauth_token with OAuth 1.0a")
    }

    package static func callbackOfOtherIssuer(_ issuer: CallbackIssuer) -> Refusal {
        Refusal(
            .issuerMismatch, "The callback is from a different issuer than this provider. Begin again.",
            finding: issuer.sentence, cause: issuer)
    }

    package static let bearerMissing = Refusal(
        .idTokenMissing,
        "The bearer token is missing. Send Authorization: Bearer with the Firebase ID token of the user.")

    package static let loginTooOld = Refusal(
        .requiresRecentLogin, "The last sign-in is too old. Reauthenticate, then send the new ID token.")

    package static let revoked = Refusal(.idTokenRevoked, "The session of this ID token was revoked. Sign in again.")

    package static let unknownFlow = Refusal(
        .parameterNotAllowed,
        "The provider is not configured with this flow. Omit flow, or send the one of openid, oauth2 and oauth1 that is "
            + "configured.",
        .parameter("flow"))

    package static func unknownFlow(at provider: Provider) -> Refusal {
        unknownFlow.with(
            finding: "the provider is configured with \(listed(provider.protocols.keys)), and flow names another one")
    }

    package static let responseModeNotAllowed = Refusal(
        .parameterNotAllowed,
        "This response_mode is not possible for this redirect_uri. Send form_post only with an https or loopback redirect "
            + "URI without an IPv6 address, and web_message only with one whose origin is in origins of the client.",
        .parameter("response_mode"))

    package static let conflictNotSettled = Refusal(
        .accountExists,
        "An account with this email address exists, and the user did not sign in to it. If there is a code, send it to "
            + "/token for the pending_credential. If not, begin again, and let the user sign in as before.",
        error: "access_denied")

    package static func accountExists(_ pending: PendingSignIn) -> Refusal {
        Refusal(
            .accountExists,
            "An account with this email address exists. Sign in with one of its providers, then send the "
                + "pending_credential to /v1/account/link.",
            .pending(pending))
    }

    /// - Parameter canSignIn: Whether its pending credential may sign in to the other account. That of a browser flow
    ///   may not, because another person may have begun the flow.
    package static func credentialAlreadyInUse(_ pending: PendingSignIn, canSignIn: Bool) -> Refusal {
        Refusal(
            .credentialAlreadyInUse,
            "The identity belongs to another account. "
                + (canSignIn
                    ? "Sign in to that account with the pending_credential at /v1/exchange, or merge"
                    : "Begin a sign-in to use that account, or merge")
                + " that account into this one with the pending_credential at /v1/account/merge.",
            .pending(pending))
    }

    /// - Parameter handle: The pending credential with which the sign-in continues.
    package static func secondFactorRequired(_ handle: Secret) -> Refusal {
        Refusal(
            .secondFactorRequired,
            "The account has a second factor. Ask the user for a code, and send it with the pending_credential to "
                + "/v1/exchange, as a credential of the type second_factor.",
            .pending(PendingSignIn(.secondFactor(kinds: ProvenFactor.Kind.allCases.map(\.rawValue)), handle)))
    }

    package static let revocationUnsupported = Refusal(
        .parameterNotAllowed, "This provider has no revocation endpoint. Omit provider and token, or this request.",
        finding: "neither endpoints.revocation nor the metadata of the provider names a revocation endpoint",
        .parameter("token"))

    package static func parameterMissing(_ name: String) -> Refusal {
        Refusal(.missingField, "The parameter \(name) is missing. Add it to the request.")
    }

    /// Returns the same refusal, which says to the operator how another name of the request contains the missing one.
    package static func parameterMissing(_ name: String, in parameters: Parameters) -> Refusal {
        parameterMissing(name).with(finding: other(than: name, in: parameters))
    }

    /// Returns what the log says of a missing name that is another name in part, or in another spelling; `nil` otherwise.
    private static func other(than name: String, in parameters: Parameters) -> String? {
        let names = parameters.pairs.map(\.name)
        guard parameters["amp;" + name] == nil else {
            return "&amp; stands in place of & in front of \(name): the application has to send & itself, and not "
                + "as in HTML"
        }
        // A pushed request has request_uri in place of redirect_uri.
        let sought = name == "redirect_uri" ? [name, "request_uri"] : [name]
        if let finding = sought.lazy.compactMap({ respelled($0, among: names) }).first { return finding }
        let isPart = names.contains { other in
            other.wholeMatch(of: /[A-Za-z0-9_.\-]*/) == nil && letters(of: other).contains(letters(of: name))
        }
        guard isPart else { return nil }
        return "\(name) is missing, and is a part of the name of another parameter. If the body is JSON, send a form; "
            + "if the parameters are percent-encoded as a whole, encode only each name and each value; otherwise leave out "
            + "what stands beside the name"
    }

    /// Returns what the log says of a missing name that a request has with another case or punctuation; `nil` otherwise.
    ///
    /// Such a name contains no text of the client but punctuation.
    package static func respelled(_ name: String, among names: [String]) -> String? {
        let forms = name == "redirect_uri" ? ["redirecturi", "redirecturl"] : [letters(of: name)]
        return names.first { other in
            forms.contains(letters(of: other)) && other.utf8.count <= name.utf8.count + 4
                && other.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F }
        }.map { "\(name) is missing, and the request has \($0)" }
    }

    private static func letters(of name: String) -> String {
        name.lowercased().filter { ("a"..."z").contains($0) || ("0"..."9").contains($0) }
    }

    /// The `state` of an application, which is sent in a cookie and returned in a URL.
    package static let stateTooLong = Refusal(
        .malformedBody, "The parameter state is longer than 1024 octets. Send a shorter one.",
        finding: "state is longer than 1024 octets")

    /// - Parameter problem: What is wrong with the value, without its text.
    package static func parameterMalformed(
        _ name: String, _ problem: String = "is too short, too long or has an unsupported value"
    ) -> Refusal {
        Refusal(.malformedBody, "The parameter \(name) \(problem). See its schema at /openapi.json.")
    }

    /// The endpoint or the configuration of the provider does not allow a parameter.
    ///
    /// The text is constant for each parameter of this server. The name of any other parameter is only in the member
    /// `parameter` of the response.
    package static func parameterNotAllowed(_ name: String) -> Refusal {
        let description =
            switch name {
            case "code_verifier": "This provider is configured without PKCE. Omit code_verifier."
            case "nonce": "This provider is not an OpenID Provider. Omit nonce."
            case "request": "Request objects are not supported. Send the parameters themselves."
            case "request_uri": "A pushed request may not contain request_uri. Send the parameters themselves."
            case "intent":
                "A flow with an intent must begin at POST /par with the Firebase ID token of the user as bearer."
            case "actor_token", "actor_token_type":
                "Delegation is not supported. Omit actor_token and actor_token_type."
            default:
                "This parameter is not allowed for the provider. Omit it, or add it to allowed_parameters of the provider."
            }
        return Refusal(.parameterNotAllowed, description, .parameter(name))
    }

    /// The configuration of a provider does not allow a parameter of the authorization request.
    package static func parameterNotAllowed(_ name: String, at provider: Provider) -> Refusal {
        // The client chooses the name, which is in the response.
        parameterNotAllowed(name).with(
            finding: "a parameter is none of allowed_parameters of the provider, which has "
                + listed(provider.allowedParameters))
    }

    /// A request with `prompt=none` for which this server, or the provider, has to show a page.
    static func interactionRequired(_ unmet: UnmetInteraction) -> Refusal {
        ProviderRefusal.interactionRequired(unmet, isSilent: true).refusal
    }
}

/// A path of the redirection endpoint that is not that of a redirect URI.
private enum CallbackPath: AdvisingCause {
    /// A slash follows the path, or its letters have another case.
    case other

    var advice: String? {
        "Register the redirect URI that token-exchange doctor prints, in the same case and without a slash at its end. If it is "
            + "registered so, the provider, or a proxy in front of this server, changes it."
    }
}
