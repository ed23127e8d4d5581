package import Jansson
package import Standards
package import Transport

/// Why a call to a provider failed, for a reason that does not lie in the credential.
package enum ProviderFailure: Error, Equatable, Sendable {
    case noAnswer(TransportError)
    /// The status is 429. The value is `Retry-After` in seconds; `nil` if it is missing or malformed.
    case throttled(retryAfter: Int64?)
    /// The status is 503. The value is as that of ``throttled(retryAfter:)``.
    case unavailable(retryAfter: Int64?)
    /// Any other unexpected status.
    case failed(status: Int)
    /// The token endpoint refuses with an error code (RFC 6749 §5.2) that concerns neither the grant nor the client
    /// credentials, such as `invalid_request`.
    case refused(status: Int, error: String)
    /// The token endpoint refuses with a JSON object that has no error code.
    case refusedWithoutCode(status: Int)
    /// The status of the token endpoint is one of success, and the response has no token.
    case noTokens(status: Int, members: String)
    /// The response of the token endpoint has tokens in another place than RFC 6749 §5.1 says, which the text names.
    case tokensElsewhere(String)
    /// The response to a token request is no JSON object, or has a status that says that there is no such endpoint.
    case notTokenEndpoint(status: Int)
    /// The provider refuses the registration of this server. An operator must act.
    case refusedClient(ClientRefusal)
    /// The provider has suspended, locked or deleted the person's account.
    case accountDisabled
    /// The named part of the response is missing or malformed. `found` is what the response has, as a clause. `advice` is `nil` if
    /// ``ProviderFailure/advice`` has the one for the part, or there is none.
    case malformedResponse(String, found: String? = nil, advice: String? = nil)
    /// The body of the response is no JSON object. The text says what it is.
    case notJSON(ProviderEndpoint, String)
    /// The access token has a type that only the holder of a key can use, or that is none of an access token: the text is its
    /// name. `nil` stands for an unknown type, whose token is used as Bearer if nothing else proves the person.
    case otherTokenType(String?, isUsed: Bool = false)
    /// An endpoint that discloses a profile, names the application of a token, or revokes it, refuses the token, also with status
    /// 200 and an error in place of its answer, or there is none at its URL. `says` is what ``ProviderWords`` reads there.
    case refusedProfile(ProviderEndpoint, status: Int, says: String? = nil)
    /// A page answers in place of such an endpoint.
    case pageInPlaceOfProfile(ProviderEndpoint, status: Int)
    /// The answer of the user endpoint has no user's id. The text is the whole sentence.
    case noUserID(String)
    /// The user endpoint names another person than the ID token (OpenID Connect Core §5.3.2), or the token endpoint of OAuth 1.0a.
    case otherPersonInUserInfo
    /// The named members of a profile have another form than expected.
    case unusableMembers(String)
    /// The provider's metadata or key set could not be fetched.
    case document(DocumentError)

    /// Whether the credential in the request stays usable.
    ///
    /// It does if no request arrived, and if the provider refused to handle it now.
    package var leavesCredentialUnspent: Bool {
        switch self {
        case .noAnswer(let error): !error.requestMayHaveArrived
        case .throttled, .unavailable, .document: true
        case .failed, .refused, .refusedWithoutCode, .noTokens, .tokensElsewhere, .notTokenEndpoint, .refusedClient,
            .accountDisabled, .malformedResponse, .notJSON, .otherTokenType, .refusedProfile, .pageInPlaceOfProfile,
            .noUserID, .otherPersonInUserInfo, .unusableMembers:
            false
        }
    }

    /// Whether the same request may succeed later.
    ///
    /// Only 408, 425 and the server errors of RFC 9110 §15.6 may pass; of these not 501 and 505, by which a server says that it
    /// does not support the request.
    package var isPassing: Bool {
        switch self {
        case .noAnswer, .throttled, .unavailable, .document: true
        case .failed(let status): [408, 425].contains(status) || status >= 500 && ![501, 505].contains(status)
        case .refused, .refusedWithoutCode, .noTokens, .tokensElsewhere, .notTokenEndpoint, .refusedClient,
            .accountDisabled, .malformedResponse, .notJSON, .otherTokenType, .refusedProfile, .pageInPlaceOfProfile,
            .noUserID, .otherPersonInUserInfo, .unusableMembers:
            false
        }
    }

    /// Whether everything was used nevertheless, so that an operator need not act.
    package var isTolerated: Bool { self == .otherTokenType(nil, isUsed: true) }

    /// Whether a call has failed, so that nothing is known about what it would have answered.
    package var isOfCall: Bool {
        switch self {
        case .noAnswer, .throttled, .unavailable, .failed, .refusedClient, .refusedProfile, .pageInPlaceOfProfile: true
        default: false
        }
    }

    /// What the place of `email_verified` is if it is the text `true` or `false`, so that it is ignored; it is the last
    /// one of the parts.
    static let verificationAsText = "a text"

    /// The part of a response that lacks a valid signature, or the issuer and audience of this client.
    package static let verifiableUserInfo = "a userinfo JWT that verifies"

    /// The whole body of an answer of OAuth 1.0a.
    package static let signedForm = "the form of OAuth 1.0a"

    /// The token endpoint has issued an ID token without the requested address, and no access token for userinfo.
    package static let noAccessToken = ProviderFailure.malformedResponse(
        "access_token",
        advice: "OpenID Connect Core section 3.1.3.3 demands one beside the ID token. Without it the userinfo endpoint "
            + "cannot be asked, and the ID token has no e-mail address. If the provider's documentation names a scope or a "
            + "parameter with which it issues an access token, write it into scopes or parameters. If the provider can "
            + "write the e-mail address into ID tokens, switch that on for this client in its settings.")

    /// A user endpoint names no person.
    package static func noUserID(at mapping: ProfileMapping, in answer: JSON) -> Self {
        guard let found = answer[mapping.subject] else {
            return .noUserID(
                "its answer has nothing at \(mapping.subject), where the user's id should be"
                    + (answer.membersForOperator.map { "; \($0)" } ?? ""))
        }
        let form = mapping.subjectForm
        return .noUserID(
            "the user's id at \(mapping.subject) is \(form.objection(to: found)), and must be \(form.name)")
    }

    /// The answer of a token endpoint has no token.
    package static func noTokens(in answer: JSON, status: Int) -> Self {
        .noTokens(status: status, members: answer.namesForOperator)
    }

    /// The answer of a token endpoint has no usable token in a member, or does not have the member.
    package static func unusableToken(_ member: String, in answer: JSON) -> Self {
        .malformedResponse(member, found: found(member, in: answer))
    }

    /// The answer of a userinfo endpoint has no usable `sub` (OpenID Connect Core §5.3.2).
    package static func noSubject(in answer: JSON) -> Self {
        .malformedResponse(
            "sub of userinfo", found: found("sub", in: answer),
            advice: "OpenID Connect Core section 5.3.2 demands sub as a text in the answer itself. Compare "
                + "endpoints.userinfo with the provider's documentation; a JWT that is a member of the answer is not "
                + "read.")
    }

    /// What an answer has in place of a usable member; `nil` if nothing may be shown.
    private static func found(_ member: String, in answer: JSON) -> String? {
        switch answer[member] {
        case .string("")?: "it is empty"
        case .string?: "it is a text of another form"
        case let value?: "it is \(value.otherType)"
        case nil: answer.membersForOperator
        }
    }

    /// The answer of an introspection endpoint does not say whether the token is valid.
    package static func noValidity(at place: JSONPointer, in answer: JSON) -> Self {
        .malformedResponse(
            "\(place) of the introspection", found: answer.membersForOperator,
            advice: "RFC 7662 section 2.2 demands true or false in the answer about each token. Compare "
                + "\(ProviderEndpoint.introspection.key) with the provider's documentation. If with OAuth 2.0 its answer says at "
                + "another place whether a token is valid, write that place as introspection.active.")
    }

    /// The provider has not granted scopes that the user endpoint needs.
    package static func missingScopes(_ scopes: Set<String>, granted: Set<String>) -> Self {
        .malformedResponse(
            "scope with \(scopes.sorted().joined(separator: " "))",
            found: "it is \(granted.sorted().prefix(20).map(\.shown).joined(separator: " "))",
            advice: "The user endpoint needs these scopes: add them to scopes, or let the application that makes the "
                + "authorization request ask for them, and add the permission to the registration.")
    }

    /// Makes the failure for a response whose status is not 200.
    ///
    /// Status 402 means at every provider that the registration of this server has no credit.
    ///
    /// - Parameter codes: The meaning of the codes in its body.
    package init(_ response: OutboundResponse, codes: ErrorCodes = .none) {
        self =
            switch response.status {
            // X also answers 429 if the registration has used up its plan, which no later attempt changes.
            case 429: codes.problem(of: response) ?? .throttled(retryAfter: Self.retryAfter(response))
            case 503: .unavailable(retryAfter: Self.retryAfter(response))
            case 400..<500:
                codes.failure(of: response)
                    ?? (response.status == 402 ? .refusedClient(.credit) : .failed(status: response.status))
            default: .failed(status: response.status)
            }
    }

    /// Returns the delay form of RFC 9110 §10.2.3.
    ///
    /// The date form is not supported.
    private static func retryAfter(_ response: OutboundResponse) -> Int64? {
        guard let seconds = response[field: "Retry-After"].flatMap(Int64.init), seconds >= 0 else { return nil }
        return seconds
    }
}

extension ProviderFailure: RefusalCause {
    package var refusal: Refusal {
        switch self {
        case .noAnswer(.timedOut): refusal(.providerTimeout, "The provider did not respond in time.")
        case .noAnswer(.overloaded): refusal(.overloaded, "Too many requests to the provider are waiting.")
        case .noAnswer(.circuitOpen(_, let seconds)):
            refusal(
                .providerUnreachable,
                "Several requests to the provider failed. Retry after the time in Retry-After.",
                .outage(Int64(seconds)))
        case .noAnswer(.cancelled): refusal(.draining, "The server is shutting down.")
        case .noAnswer(.unreachable), .noAnswer(.untrusted), .noAnswer(.interrupted), .noAnswer(.refusedURL),
            .noAnswer(.proxyFailed):
            refusal(.providerUnreachable, "The provider cannot be reached.")
        case .throttled(let seconds), .unavailable(let seconds):
            refusal(
                .providerError, "The provider is not available now, or receives too many requests. Retry later.",
                .retryAfter(min(seconds ?? 5, 60)))
        case .refusedProfile(_, status: 200..<300, _):
            refusal(.providerResponseInvalid, Self.notUsable)
        case .failed, .refused, .refusedWithoutCode, .notTokenEndpoint, .refusedProfile, .pageInPlaceOfProfile:
            refusal(
                .providerError,
                "The provider failed, or refused a request without a fault of the client. If it happens again, the operator must act, "
                    + "see the server log.")
        case .refusedClient:
            refusal(
                .providerRefusesUs,
                "The provider rejects the registration of this server. The operator must fix it, see the server log.")
        case .accountDisabled:
            refusal(
                .providerAccountDisabled,
                "The provider has suspended, locked or deleted this account. Only the provider can restore it.")
        case .noAnswer(.tooLarge), .noAnswer(.notHTTP), .noTokens, .tokensElsewhere, .malformedResponse, .notJSON,
            .otherTokenType, .noUserID, .otherPersonInUserInfo, .unusableMembers:
            refusal(.providerResponseInvalid, Self.notUsable)
        case .document(.unreachable(.timedOut)):
            refusal(.providerTimeout, "The keys or metadata of the provider did not arrive in time.")
        case .document(.malformed), .document(.noKeySet), .document(.unlikeMetadata), .document(.otherIssuer),
            .document(.unusableEndpoints), .document(.noPublicKeys),
            .document(.unreachable(.tooLarge)), .document(.unreachable(.notHTTP)):
            refusal(.providerResponseInvalid, "The keys or metadata of the provider are not usable.")
        case .document(.unreachable):
            refusal(.providerUnreachable, "The keys or metadata of the provider cannot be fetched.")
        case .document(.status), .document(.keysRefused), .document(.page), .document(.redirected):
            refusal(
                .providerError, "The provider responded with an error to the request for its keys or metadata.")
        }
    }

    private static let notUsable =
        "The response of the provider is not usable. If it happens again, the operator must act, see the server log."

    private func refusal(_ reason: Reason, _ description: String, _ detail: Refusal.Detail? = nil) -> Refusal {
        Refusal(
            reason, description, finding: sentence, detail, isUnspent: leavesCredentialUnspent, cause: self)
    }

    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .noAnswer(let error): error.sentence
        case .throttled(let seconds): "it receives too many requests (status 429)" + Self.pause(seconds)
        case .unavailable(let seconds): "it cannot answer now (status 503)" + Self.pause(seconds)
        case .failed(let status): "the status is \(status)"
        case .refused(let status, let error): "its token endpoint refuses with the error \(error) (status \(status))"
        case .refusedWithoutCode(let status):
            "its token endpoint refuses without an error code of OAuth 2.0 (status \(status))"
        case .noTokens(let status, let members):
            "its token endpoint answers without tokens (status \(status))"
                + (members.isEmpty ? "" : "; the members of its answer are \(members)")
        case .tokensElsewhere(let place):
            "its token endpoint answers with \(place) in place of access_token, which is not supported"
        case .notTokenEndpoint(let status) where Self.redirects.contains(status):
            "the URL of its token endpoint redirects to another address (status \(status)), which is not followed"
        case .notTokenEndpoint(let status):
            "the answer at the URL of its token endpoint is not that of a token endpoint (status \(status))"
        case .refusedClient(let refusal): "it refuses the registration of this server (\(refusal.rawValue))"
        case .accountDisabled: "it has suspended, locked or deleted the account"
        case .malformedResponse(let part, let found, _):
            "\(part) is missing in its answer, or has the wrong form" + (found.map { ": \($0)" } ?? "")
        case .notJSON(let endpoint, let body): "the answer of its \(endpoint.name) is no JSON object: it is \(body)"
        case .otherTokenType(let name?, _): "token_type in its answer is \(name), and only Bearer is supported"
        case .otherTokenType(nil, isUsed: true):
            "token_type in its answer is not Bearer, as which the access token is used nevertheless"
        case .otherTokenType(nil, isUsed: false):
            "token_type in its answer is not Bearer, so that the access token is not used"
        case .refusedProfile(let endpoint, let status, let words):
            endpoint.refusal(status)
                + (words.map { ($0.hasPrefix(ProviderWords.redirection) ? ": it " : ", and says: ") + $0 } ?? "")
        case .pageInPlaceOfProfile(let endpoint, let status):
            "a page answers in place of its \(endpoint.name) (status \(status))"
        case .noUserID(let sentence): sentence
        case .otherPersonInUserInfo: "its user endpoint names another person than the tokens"
        case .unusableMembers(let members): "its answer has members that cannot be used: \(members)"
        case .document(let error): "its metadata or keys cannot be used: \(error.sentence)"
        }
    }

    private static func pause(_ seconds: Int64?) -> String {
        seconds.map { ", and asks for a pause of \($0) s (Retry-After)" } ?? ""
    }
}

extension ProviderFailure: AdvisingCause {
    package var advice: String? {
        switch self {
        case .refusedClient(let refusal): refusal.advice
        case .notTokenEndpoint(let status) where Self.redirects.contains(status):
            Self.redirectAdvice(ProviderEndpoint.token.key)
        case .notTokenEndpoint(status: 415), .refused(status: 415, _), .refusedWithoutCode(status: 415):
            "RFC 6749 section 4.1.3 demands that the endpoint reads forms. Compare \(ProviderEndpoint.token.key) with the provider's "
                + "documentation; a provider that reads only JSON needs a server in between that speaks OpenID Connect."
        case .notTokenEndpoint(let status):
            Self.addressAdvice(ProviderEndpoint.token.key)
                + (status == 404
                    ? " If the URL is right, compare client_id with the registration: GitHub answers so for a client id "
                        + "that it does not know." : "")
        case .refusedWithoutCode, .noTokens:
            "If what the provider says does not name the cause: compare \(ProviderEndpoint.token.key) with its documentation, and "
                + "client id, secret and redirect URI in the configuration with those that the provider shows, and try the other "
                + "value of token_endpoint_auth, if the section has it. \(Self.renewals) The provider's own log may name the cause."
        case .tokensElsewhere:
            "RFC 6749 section 5.1 demands access_token and id_token as members of the answer itself. Look for an endpoint of the "
                + "provider that follows it, and write it as endpoints.token; a provider without one needs a server in between "
                + "that speaks OpenID Connect."
        case .refused(_, let error) where error.hasPrefix("invalid_request"):
            "If what the provider says does not name the cause, and the request was for a code: compare the redirect URI in the "
                + "registration with that which token-exchange doctor prints, and try the other value of token_endpoint_auth and that of "
                + "pkce, if the section has them. \(Self.renewals)"
        case .refused(_, let error) where ["server_error", "temporarily_unavailable"].contains(where: error.hasPrefix):
            Self.ownError
        case .refused: "Look for the error code, and for what the provider says, in its documentation."
        case .document(let error): error.advice
        case .refusedProfile(let endpoint, let status, _) where Self.redirects.contains(status):
            Self.redirectAdvice(endpoint.key)
        case .refusedProfile(let endpoint, let status, _) where Self.absent.contains(status):
            Self.addressAdvice(endpoint.key) + (status == 405 ? endpoint.demand : "")
        case .refusedProfile(let endpoint, _, _) where [.introspection, .revocation].contains(endpoint):
            "Compare \(endpoint.key), and for which clients and tokens it is, with the provider's documentation."
        case .refusedProfile(let endpoint, _, _):
            "If only some sign-ins fail so, the access token may have expired or been revoked, or the clocks of the provider's "
                + "machines differ: another sign-in gets a new one. If each does, compare the address of its \(endpoint.name), the "
                + "permissions and the access tier of the registration, and scopes if the section has them, with its documentation."
                + endpoint.admission + endpoint.demand
        case .pageInPlaceOfProfile(let endpoint, _): Self.addressAdvice(endpoint.key)
        case .noUserID:
            "If the section is not twitter.com, and the provider's documentation has the user's id at another place of this answer, "
                + "write that place as members.sub: of what identifies the user for ever, such as /id. Otherwise compare "
                + "\(ProviderEndpoint.user.key) with it."
        case .otherPersonInUserInfo:
            "With OpenID Connect the provider has to send the same sub in both (OpenID Connect Core section 5.3.2): if one is pairwise, "
                + "or a URL, and the other is not, correct the subject type of this client in the provider's settings."
        case .unusableMembers(let members): Self.advice(onMembers: members)
        case .malformedResponse(_, _, let advice?): advice
        case .malformedResponse("id_token", _, _):
            "An ID token needs the scope openid, and at some providers OpenID Connect switched on for this client in the settings. "
                + "A provider that has only OAuth 2.0 needs protocol: oauth2."
        case .malformedResponse("oauth_token", _, _), .malformedResponse("oauth_callback_confirmed", _, _),
            .malformedResponse(Self.signedForm, _, _):
            Self.addressAdvice(ProviderEndpoint.token.key)
        case .malformedResponse(Self.verifiableUserInfo, _, _):
            "If userinfo is encrypted, switch that off for this client in the provider's settings (userinfo_encrypted_response_alg). "
                + "Otherwise let the provider send it without a signature (userinfo_signed_response_alg), or sign it as its ID "
                + "tokens: with a published key, the algorithm of that key, and the same iss and aud."
        case .notJSON(let endpoint, AnswerForm.call):
            "Add the parameter by which the provider sends plain JSON, which its documentation names, to \(endpoint.key); QQ needs "
                + "fmt=json."
        case .notJSON(_, AnswerForm.empty), .notJSON(_, AnswerForm.null):
            "The provider, or a proxy in between, sends no content: look in its log."
        case .notJSON(_, AnswerForm.compressed):
            "The provider, or a proxy in between, compresses without Content-Encoding: switch that off there."
        case .notJSON(let endpoint, let body) where body.hasPrefix(AnswerForm.page): Self.addressAdvice(endpoint.key)
        case .notJSON(let endpoint, let body):
            "Compare \(endpoint.key) with the provider's documentation, and write the address that answers with JSON. If it is right, "
                + "the provider has to send JSON without errors (RFC 8259), and no text before it: with PHP display_errors must be off."
                + (body == AnswerForm.jwt && endpoint == .user
                    ? " A JWT is read only with OpenID Connect: write issuer in place of protocol: oauth2 and members, or switch off signed "
                        + "answers for this client in the provider's settings." : "")
        case .otherTokenType(_?, _):
            "Let the provider issue Bearer tokens to this client. In its settings, switch off tokens that are bound to a key (DPoP, "
                + "RFC 9449), if they are on."
        case .noAnswer(.timedOut(_, requestSent: true, _)):
            "If the provider needs longer, raise timeout of its section, to 60s at most."
        case .noAnswer(.overloaded):
            "The provider answers slowly, or max_calls of its section (256 by default) is too low: raise it as far as the provider agrees."
        case .noAnswer(let error): error.advice
        case .failed where isPassing: Self.ownError
        case .failed:
            "Compare the address of the call, which the log has as provider_call and doctor as sign_in.calls, with the provider's "
                + "documentation, and correct the key that names it below endpoints (endpoints.api at twitter.com). If it is right, look "
                + "there for the status."
        case .otherTokenType(nil, isUsed: false):
            "RFC 6749 section 5.1 demands token_type: let the provider send Bearer to this client. Without it userinfo "
                + "is not asked."
        case .throttled:
            "Wait. If the provider says the title of a page, a proxy, a firewall or a protection against robots in front of it refuses "
                + "this server: let it pass the address of this server."
        case .otherTokenType(nil, isUsed: true), .unavailable, .accountDisabled, .malformedResponse: nil
        }
    }

    private static let renewals =
        "If it was for a refresh token, compare what the provider's documentation demands of such a request: besides the "
        + "authentication of the client, only grant_type and refresh_token are sent, and token_parameters if the section has them."

    private static let ownError =
        "The provider, or a proxy in front of it, reports an error of its own: look for the cause there, or wait."

    /// What to do if the answer is not that of the endpoint.
    private static func addressAdvice(_ key: String) -> String {
        "Compare \(key), or what the provider's metadata has in its place, with the provider's documentation, character for "
            + "character. If it is right, and a proxy, a firewall or a protection against robots is in front of the provider, let it "
            + "pass the address of this server."
    }

    /// What to do about the parts of a profile that cannot be used.
    private static func advice(onMembers members: String) -> String {
        let others =
            "A member of a profile has to be a text of at most 2048 octets, picture a URL with http or https, and email_verified true "
            + "or false. If the section has members, correct the place there, or write off; otherwise the provider has to correct it."
        let suffix = " (\(verificationAsText))"
        let parts = members.split(separator: ",")
        guard let part = parts.last?.drop(while: { $0 == " " }), part.hasSuffix(suffix) else { return others }
        let advice =
            "If the provider's documentation says that \(part.dropLast(suffix.count)) is the text true or false, write "
            + "trust_email: claim_text."
        return parts.count == 1 ? advice : "\(advice) \(others)"
    }

    private static func redirectAdvice(_ key: String) -> String {
        "Write the address to which the provider redirects as \(key), if its documentation names it: codes, tokens and secrets are "
            + "sent to no other address than the configured one. If a page for signing in is there, compare \(key) with the "
            + "documentation, and let this server pass a proxy that demands a sign-in."
    }
}

extension TransportError: RefusalCause {
    /// A call to a provider: Google and the operator's hooks have errors of their own.
    package var refusal: Refusal { ProviderFailure.noAnswer(self).refusal }
}

extension DocumentError: RefusalCause {
    /// A document of a provider: those of Google have errors of their own.
    package var refusal: Refusal { ProviderFailure.document(self).refusal }
}
