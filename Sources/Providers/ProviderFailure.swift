package import Jansson
package import Standards
package import Transport

/// Why a call to a provider failed, for a reason that does not lie in the credential.
package enum ProviderFailure: Error, Equatable, Sendable {
    case noAnswer(TransportError)
    /// The status is 429. The value is `Retry-After` in seconds, at most 60; `nil` if it is missing or malformed.
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
    case noTokens(status: Int)
    /// The response of the token endpoint has tokens in another place than RFC 6749 §5.1 says, which the text names.
    case tokensElsewhere(String)
    /// The response to a token request is no JSON object, or has a status that says that there is no such endpoint.
    case notTokenEndpoint(status: Int)
    /// The provider refuses the registration of this server. An operator must act.
    case refusedClient(ClientRefusal)
    /// The provider has suspended, locked or deleted the person's account.
    case accountDisabled
    /// The named part of the response is missing or malformed.
    case malformedResponse(String)
    /// An endpoint that discloses a profile refuses the access token, also with status 200 and an error in place of the profile,
    /// or there is none at its URL. `says` is what ``ProviderWords`` reads in its answer.
    case refusedProfile(ProfileEndpoint, status: Int, says: String? = nil)
    /// A page answers in place of an endpoint that discloses a profile.
    case pageInPlaceOfProfile(ProfileEndpoint, status: Int)
    /// The answer of the user endpoint has no user's id. The text is the whole sentence.
    case noUserID(String)
    /// The userinfo endpoint names another person than the ID token (OpenID Connect Core §5.3.2).
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
            .accountDisabled, .malformedResponse, .refusedProfile, .pageInPlaceOfProfile, .noUserID,
            .otherPersonInUserInfo, .unusableMembers:
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
            .accountDisabled,
            .malformedResponse, .refusedProfile, .pageInPlaceOfProfile, .noUserID, .otherPersonInUserInfo,
            .unusableMembers:
            false
        }
    }

    /// The instruction for the operator if a provider refuses a profile permanently; `nil` if there is none.
    ///
    /// A provider that refuses a profile with 403 and no known code does so because of the registration: it has just
    /// accepted the person's token.
    package var profileAdvice: String? {
        switch self {
        case .failed(status: 403): ClientRefusal.accessTier.advice
        default: advice
        }
    }

    /// The part of a profile that is a text instead of `true` or `false`, so that it is ignored.
    package static let emailVerifiedIsText = ProviderFailure.unusableMembers("email_verified (a text)")

    /// A user endpoint names no person.
    package static func noUserID(at mapping: ProfileMapping, in answer: JSON) -> Self {
        let form =
            switch mapping.subjectForm {
            case .text: "a text"
            case .decimalText: "a text of digits"
            case .textOrInteger: "a text, or an integer from 1 to 2^53 - 1"
            }
        guard let found = answer[mapping.subject] else {
            // The names of members belong to the documentation of the provider; their values to the person.
            let names = (answer.object ?? [:]).keys.filter(\.isPlainName).sorted().prefix(12)
            return .noUserID(
                "its answer has nothing at \(mapping.subject), where the user's id should be"
                    + (names.isEmpty ? "" : "; its members are \(names.joined(separator: ", "))"))
        }
        let kind = if case .integer = found { "a number out of range" } else { found.profileKind }
        return .noUserID("the user's id at \(mapping.subject) is \(kind), and must be \(form)")
    }

    /// Makes the failure for a response whose status is not 200.
    ///
    /// Status 402 means at every provider that the registration of this server has no credit.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - codes: The meaning of the codes in its body.
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
        return min(seconds, 60)
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
                "The provider did not respond to several requests. Retry after the time in Retry-After.",
                .outage(Int64(seconds)))
        case .noAnswer(.cancelled): refusal(.draining, "The server is shutting down.")
        case .noAnswer(.unreachable), .noAnswer(.untrusted), .noAnswer(.interrupted), .noAnswer(.refusedURL),
            .noAnswer(.proxyFailed):
            refusal(.providerUnreachable, "The provider cannot be reached.")
        case .throttled(let seconds), .unavailable(let seconds):
            refusal(.providerError, "The provider asked the server to retry later.", .retryAfter(seconds ?? 5))
        case .refusedProfile(_, status: 200..<300, _):
            refusal(.providerResponseInvalid, "The response of the provider is not usable.")
        case .failed, .refused, .refusedWithoutCode, .notTokenEndpoint, .refusedProfile, .pageInPlaceOfProfile:
            refusal(.providerError, "The provider failed with an error that the client did not cause.")
        case .refusedClient:
            refusal(
                .providerRefusesUs,
                "The provider rejects the registration of this server. The operator must fix it, see the server log.")
        case .accountDisabled:
            refusal(
                .providerAccountDisabled,
                "The provider has suspended, locked or deleted this account. Only the provider can restore it.")
        case .noAnswer(.tooLarge), .noAnswer(.notHTTP), .noTokens, .tokensElsewhere, .malformedResponse, .noUserID,
            .otherPersonInUserInfo,
            .unusableMembers:
            refusal(.providerResponseInvalid, "The response of the provider is not usable.")
        case .document(.unreachable(.timedOut)):
            refusal(.providerTimeout, "The keys or metadata of the provider did not arrive in time.")
        case .document(.malformed), .document(.noKeySet), .document(.unlikeMetadata), .document(.otherIssuer),
            .document(.unusableEndpoints),
            .document(.unreachable(.tooLarge)), .document(.unreachable(.notHTTP)):
            refusal(.providerResponseInvalid, "The keys or metadata of the provider are not usable.")
        case .document(.unreachable):
            refusal(.providerUnreachable, "The keys or metadata of the provider cannot be fetched.")
        case .document(.status), .document(.keysRefused), .document(.page), .document(.redirected):
            refusal(
                .providerError, "The provider responded with an error to the request for its keys or metadata.")
        }
    }

    private func refusal(_ reason: Reason, _ description: String, _ detail: Refusal.Detail? = nil) -> Refusal {
        Refusal(
            reason, description, finding: sentence, detail, isUnspent: leavesCredentialUnspent, cause: self)
    }

    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .noAnswer(let error): error.sentence
        case .throttled: "it receives too many requests (status 429)"
        case .unavailable: "it cannot answer now (status 503)"
        case .failed(let status): "the status is \(status)"
        case .refused(let status, let error): "its token endpoint refuses with the error \(error) (status \(status))"
        case .refusedWithoutCode(let status): "its token endpoint refuses without an error code (status \(status))"
        case .noTokens(let status):
            "its token endpoint answers without tokens, which probably is a refusal (status \(status))"
        case .tokensElsewhere(let place):
            "its token endpoint answers with \(place) in place of access_token, which is not supported"
        case .notTokenEndpoint(let status):
            "the answer at the URL of its token endpoint is not that of a token endpoint (status \(status))"
        case .refusedClient(let refusal): "it refuses the registration of this server (\(refusal.rawValue))"
        case .accountDisabled: "it has suspended, locked or deleted the account"
        case .malformedResponse(let part): "\(part) is missing in its answer, or has the wrong form"
        case .refusedProfile(let endpoint, let status, let words):
            endpoint.refusal(status) + (words.map { ", and says: \($0)" } ?? "")
        case .pageInPlaceOfProfile(let endpoint, let status):
            "a page answers in place of its \(endpoint.name) (status \(status))"
        case .noUserID(let sentence): sentence
        case .otherPersonInUserInfo: "sub in the answer of its userinfo endpoint is not that of the ID token"
        case .unusableMembers(let members): "its answer has members that cannot be used: \(members)"
        case .document(let error): "its metadata or keys cannot be used: \(error.sentence)"
        }
    }
}

/// An endpoint that discloses the profile of a person to the holder of an access token.
package enum ProfileEndpoint: Sendable, Equatable {
    case user
    case emails

    /// What operators call it.
    fileprivate var name: String {
        switch self {
        case .user: "user endpoint"
        case .emails: "list of addresses"
        }
    }

    /// What it did, by the status of its answer.
    fileprivate func refusal(_ status: Int) -> String {
        switch status {
        case _ where ProviderFailure.absent.contains(status):
            "there is nothing at the URL of its \(name) (status \(status))"
        case 200: "its \(name) answers with an error in place of a profile (status 200)"
        case 401, 403: "its \(name) refuses the access token (status \(status))"
        default: "its \(name) refuses the request (status \(status))"
        }
    }

    /// The key of the configuration with its URL.
    fileprivate var key: String {
        switch self {
        case .user: "endpoints.userinfo"
        case .emails: "emails.url"
        }
    }
}

extension ProviderFailure {
    /// The failure of a call to an endpoint that discloses a profile.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - response: Its response, whose status is not 200.
    ///   - request: The request, whose credentials are left out of what the operator reads.
    ///   - codes: The meaning of the codes in its body.
    package init(
        of endpoint: ProfileEndpoint, _ response: OutboundResponse, to request: OutboundRequest,
        codes: ErrorCodes = .none
    ) {
        let failure = ProviderFailure(response, codes: codes)
        if case .failed(let status) = failure, (400..<500).contains(status), !failure.isPassing {
            self =
                response.body.isPage
                ? .pageInPlaceOfProfile(endpoint, status: status)
                : .refusedProfile(endpoint, status: status, says: ProviderWords.of(response, to: request))
        } else {
            self = failure
        }
    }

    /// The failure of a user endpoint that answers with status 200 and an error; `nil` for any other answer.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - answer: Its body, which names no person.
    ///   - request: The request, whose credentials are left out of what the operator reads.
    /// - Returns: The failure.
    package static func errorInPlaceOfProfile(
        _ response: OutboundResponse, _ answer: JSON, to request: OutboundRequest
    ) -> Self? {
        let isNumbered = ["errcode", "error_code", "errorCode"].contains { name in
            answer[name].map { ![.null, .integer(0), .string(""), .string("0")].contains($0) } ?? false
        }
        let isNamed = answer["error"].map { ![.null, .bool(false), .integer(0), .string("")].contains($0) } ?? false
        let isListed = answer["errors"]?.array?.isEmpty == false && answer["data"]?.object == nil
        let isStatus = ["status_code", "status", "statusCode"].contains { (answer[$0]?.integer ?? 0) >= 400 }
        guard isNumbered || isNamed || isListed || isStatus else { return nil }
        return .refusedProfile(.user, status: response.status, says: ProviderWords.of(response, to: request))
    }

    /// The statuses by which a server says that there is no such endpoint (RFC 9110 §15.5).
    package static let absent: Set<Int> = [404, 405, 410]
}

extension String {
    /// Whether the text can be the name of a member, and no value.
    package var isPlainName: Bool {
        (1...40).contains(utf8.count)
            && utf8.allSatisfy { PercentEncoding.isUnreserved($0) && !(0x30...0x39).contains($0) }
    }
}

extension ProviderFailure: AdvisingCause {
    package var advice: String? {
        switch self {
        case .refusedClient(let refusal): refusal.advice
        case .notTokenEndpoint:
            "Compare endpoints.token, or token_endpoint in the provider's metadata, with the provider's documentation, "
                + "character for character. If it is right, a proxy or a firewall answers in place of the provider."
        case .refusedWithoutCode, .noTokens:
            "Compare client id, secret and redirect URI in the configuration with those that the provider shows, and try the "
                + "other value of token_endpoint_auth. The provider's own log may name the cause."
        case .tokensElsewhere:
            "RFC 6749 section 5.1 demands access_token and id_token as members of the answer itself. Look for an endpoint of the "
                + "provider that follows it, and write it as endpoints.token; a provider without one needs a server in between "
                + "that speaks OpenID Connect."
        case .refused(_, let error) where error.hasPrefix("invalid_request"):
            "If what the provider says does not name the cause: compare the redirect URI in the registration with that which "
                + "token-exchange doctor prints, and try the other value of pkce."
        case .refused: "Look for the error code, and for what the provider says, in its documentation."
        case .document(let error): error.advice
        case .emailVerifiedIsText:
            "The provider writes email_verified as the text true or false. If its documentation says so, write "
                + "trust_email: claim_text."
        case .refusedProfile(let endpoint, let status, _):
            Self.absent.contains(status)
                ? "Compare \(endpoint.key) with the provider's documentation, character for character."
                : "Compare scopes, and the permissions and the access tier of the registration, with those that the provider's "
                    + "documentation demands for \(endpoint.key)."
        case .pageInPlaceOfProfile(let endpoint, _):
            "A firewall or a protection against robots in front of the provider probably answers: let it pass the address of "
                + "this server, and compare \(endpoint.key) with the provider's documentation."
        case .noUserID:
            "Compare members.sub with the answer of endpoints.userinfo in the provider's documentation: it is the place of "
                + "what identifies the user for ever, such as /id."
        case .otherPersonInUserInfo:
            "The provider has to send the same sub in both (OpenID Connect Core section 5.3.2): if one is pairwise, or a URL, "
                + "and the other is not, correct the subject type of this client in the provider's settings."
        case .unusableMembers:
            "A member of a profile is a text of at most 2048 octets, and email_verified is true or false. With protocol: "
                + "oauth2 correct the place in members, or leave the line out."
        case .noAnswer(let error): error.advice
        case .malformedResponse("id_token"):
            "The provider issues ID tokens only for the scope openid, and if OpenID Connect is switched on for this client in its "
                + "settings. A provider that has only OAuth 2.0 needs protocol: oauth2."
        case .throttled, .unavailable, .failed, .accountDisabled, .malformedResponse: nil
        }
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

/// Why a provider refuses the registration of this server.
///
/// Only an operator can correct it.
package enum ClientRefusal: String, Sendable, Equatable, CaseIterable {
    /// The provider refuses the client credentials, or a signature made with them.
    case credentials
    /// The provider refuses the client, and its metadata names `client_secret_post`, which the configuration does not use.
    case needsPost = "client_secret_post"
    /// The same with `client_secret_basic`.
    case needsBasic = "client_secret_basic"
    /// The provider refuses the JWT of `private_key_jwt`.
    case assertion = "client_assertion"
    /// Apple refuses the JWT that is the client secret.
    case appleSecret = "apple_secret"
    /// The provider refuses the timestamp of a signature.
    case clock
    /// The registration has no credit, or no plan that includes this call.
    case credit
    /// The access tier or the permissions of the registration do not include this call.
    case accessTier = "access_tier"
    /// The registration is not enrolled, for example in a project of X.
    case enrolment
    /// The registration is suspended.
    case suspended
    /// The provider names a reason that this program does not know.
    case unknownReason = "unknown_reason"
    /// The registration is that of a single-page application.
    case singlePageApplication = "single_page_application"
    /// The registration is that of a client without a secret.
    case publicClient = "public_client"
    /// The registration does not have the redirect URI.
    case callbackNotApproved = "callback_not_approved"

    /// The instruction for the operator.
    package var advice: String {
        switch self {
        case .credentials:
            "Compare client id and secret in the configuration with those that the provider shows. Renew the secret if it "
                + "was revoked or has expired. If both are right, try the other value of token_endpoint_auth: some providers "
                + "accept only client_secret_post or only client_secret_basic, and some do not decode special characters in "
                + "client_secret_basic (RFC 6749 section 2.3.1)."
        case .needsPost:
            "The provider's metadata names client_secret_post and not client_secret_basic: write token_endpoint_auth: "
                + "client_secret_post."
        case .needsBasic:
            "The provider's metadata names client_secret_basic and not client_secret_post: write token_endpoint_auth: "
                + "client_secret_basic."
        case .singlePageApplication:
            "The redirect URI is registered at the provider for a single-page application, whose codes only a browser can redeem. "
                + "Register it for the platform Web instead."
        case .publicClient:
            "The redirect URI is registered at the provider for a public client, which has no secret. Register it for the platform "
                + "Web instead, or write token_endpoint_auth: none."
        case .assertion:
            "Compare client_id, client_key.key_id and the public key of client_key.key with the registration at the provider. "
                + "Synchronize the clock of this machine with NTP, because each JWT is valid for a minute. If all of this is "
                + "right, write client_key.audience: some providers expect their issuer there, and not the URL of the token "
                + "endpoint."
        case .appleSecret:
            "Compare client_id, which is the Services ID and not the App ID, and key_id and team_id of client_secret.apple with "
                + "those in Apple's developer account, where the key must be enabled for Sign in with Apple and not revoked. "
                + "Synchronize the clock of this machine with NTP."
        case .clock: "Set the clock of this machine and synchronize it with NTP."
        case .credit: "Add credit, or choose a plan that includes these calls, in the provider's developer console."
        case .accessTier:
            "Raise the access tier, or add the permission, of the registration in the provider's developer console."
        case .enrolment:
            "Attach the application to a project, and check its plan and billing, in the provider's developer console."
        case .unknownReason:
            "Check enrolment, plan, billing and permissions of the registration in the provider's developer console."
        case .suspended: "The provider has suspended the registration. Read the reason in its developer console."
        case .callbackNotApproved:
            "Add the redirect URI, which token-exchange doctor prints, character for character to the registration in the "
                + "provider's developer console."
        }
    }
}

/// The meaning of the codes in the body of a refusal, for an API whose status does not show the cause.
///
/// Five forms are read: `{"errors": [{"code": 64}]}`, `{"error": {"code": 64}}`, `<errors><error code="64">`, `{"error_codes":
/// [700025]}` with the codes of Microsoft Entra, and the `type` or `reason` of problem details (RFC 9457).
package struct ErrorCodes: Sendable, Equatable {
    /// The codes that concern the registration of this server.
    package let refusals: [Int64: ClientRefusal]
    /// The codes for a suspended, locked or deleted account of the person.
    package let disabledAccounts: Set<Int64>
    /// The problems, by the last part of `type` or by `reason`.
    package let problems: [String: ClientRefusal]
    /// The problems of a suspended, locked or deleted account of the person.
    package let accountProblems: Set<String>
    /// The values of `error` (RFC 6749 §5.2), in lower case, by which the token endpoint refuses a grant.
    package let grantErrors: Set<String>
    /// The codes of an object `error` by which the token endpoint refuses a grant.
    package let grantCodes: Set<Int64>
    /// The values of `message`, in lower case, by which a token endpoint that sends no `error` refuses a grant.
    package let grantMessages: Set<String>
    /// The values of `message`, in lower case, by which it refuses the client credentials.
    package let clientMessages: Set<String>

    package init(
        refusals: [Int64: ClientRefusal] = [:], disabledAccounts: Set<Int64> = [],
        problems: [String: ClientRefusal] = [:], accountProblems: Set<String> = [],
        grantErrors: Set<String> = standardGrantErrors,
        grantCodes: Set<Int64> = [], grantMessages: Set<String> = standardGrantMessages,
        clientMessages: Set<String> = standardClientMessages
    ) {
        self.grantCodes = grantCodes
        self.grantMessages = grantMessages
        self.clientMessages = clientMessages
        self.grantErrors = grantErrors
        self.refusals = refusals
        self.disabledAccounts = disabledAccounts
        self.problems = problems
        self.accountProblems = accountProblems
    }

    package static let none = ErrorCodes()
    /// `invalid_grant`, and the words of single providers that can have no other meaning.
    package static let standardGrantErrors: Set<String> = [
        "invalid_grant", "invalid_refresh_token", "invalid_code", "code_already_used", "code_expired",
        "bad_verification_code",
    ]
    package static let standardGrantMessages: Set<String> = ["invalid authorization code", "invalid refresh token"]
    package static let standardClientMessages: Set<String> = [
        "invalid client", "invalid client secret", "invalid client credentials",
    ]
    /// The codes AADSTS of Microsoft Entra that concern the registration of this server.
    ///
    /// - SeeAlso: <https://learn.microsoft.com/entra/identity-platform/reference-error-codes>
    private static let microsoft: [Int64: ClientRefusal] = [
        9_002_327: .singlePageApplication, 700_025: .publicClient, 50_011: .callbackNotApproved,
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
        return answer.flatMap(problem)
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

extension OutboundResponse {
    /// Parses the body as a JSON object.
    ///
    /// The media type is not read: providers send JSON as `text/plain` or `text/html`, and no other text begins with `{`.
    ///
    /// - Returns: The object.
    /// - Throws: `ProviderFailure.malformedResponse` for a body that the tolerant parser refuses: text before or after the
    ///   object, too many levels.
    package func jsonObject() throws(ProviderFailure) -> JSON {
        let answer = try json()
        guard answer.object != nil else { throw .malformedResponse("a JSON object") }
        return answer
    }

    /// Parses the body as JSON, which may also be a list.
    package func json() throws(ProviderFailure) -> JSON {
        guard let answer = try? JSON.parse(tolerantly: body.withoutByteOrderMark, maximumBytes: 256 * 1024) else {
            throw .malformedResponse(body.looksLike.map { "a JSON object (the body is \($0))" } ?? "a JSON object")
        }
        return answer
    }
}

extension [UInt8] {
    /// What a body is that is not JSON; `nil` if that is not known.
    fileprivate var looksLike: String? {
        if isEmpty { return "empty" }
        if starts(with: [0x1F, 0x8B]) { return "compressed with gzip, without the field Content-Encoding" }
        return isPage ? "HTML or XML" : nil
    }
}
