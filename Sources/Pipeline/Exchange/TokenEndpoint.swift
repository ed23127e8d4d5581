internal import JOSE
internal import Jansson
internal import Providers
package import Standards
internal import Transport

/// The token endpoint's response (RFC 6749 §5).
struct TokenResponse {
    let accessToken: AccessToken?
    let idToken: UnverifiedIDToken?
    let refreshToken: RefreshToken?
    let expiresIn: Int64?
    let scope: String?
    /// The type of the access token, if it is another one than Bearer.
    let deviation: ProviderFailure?
    /// The failure if the token that proves the person is needed and missing.
    let withoutProof: ProviderFailure

    /// The maximum length of each token: a provider that lists groups in its tokens writes long ones.
    private static let maximumTokenBytes = CompactJWS.maximumDirectBytes
    /// The lifetimes of an access token that an application can use, in seconds: up to ten years.
    private static let lifetimes: ClosedRange<Int64> = 1...315_360_000

    /// Reads the response to a request.
    ///
    /// - Parameters:
    ///   - request: The request, whose credentials are left out of what the operator reads.
    ///   - isOpenID: Whether an ID token in the response will be verified, and proves the person.
    /// - Throws: The refusal of ``parse(_:by:codes:isOpenID:)``, with what the provider says.
    static func parse(
        _ response: OutboundResponse, to request: OutboundRequest, by client: ProviderClient, codes: ErrorCodes,
        isOpenID: Bool
    ) throws(Refusal) -> Self {
        do {
            return try parse(response, by: client, codes: codes, isOpenID: isOpenID)
        } catch {
            let refusal = Refusal(error)
            let words = ProviderWords.of(response, to: request)
            guard refusal == .codeRejected else { throw refusal.quoting(words) }
            let isVerifierMissing = DemandedCodeVerifier.isNamed(by: words, about: request)
            let cause = isVerifierMissing ? .codeVerifierDemanded : hasEncodedCode(request) ? .codeEncoded : refusal
            throw cause.quoting(words)
        }
    }

    /// Whether the code of a request has percent-encoded characters, which no known provider writes into one.
    private static func hasEncodedCode(_ request: OutboundRequest) -> Bool {
        let form = try? Parameters.parse(String(decoding: request.body, as: UTF8.self))
        return form?["code"]?.firstMatch(of: /%[0-9A-Fa-f]{2}/) != nil
    }

    /// Reads a response.
    ///
    /// The code is spent when the response arrives. Therefore only a member that proves something is necessary: the ID token,
    /// or the access token with which the person is asked for. A member that cannot be used is left out.
    ///
    /// - Parameters:
    ///   - client: The client, which the response may refuse.
    ///   - isOpenID: Whether an ID token in the response proves the person.
    /// - Throws: ``Refusal/codeRejected`` if the provider refuses the grant; otherwise `ProviderFailure`.
    private static func parse(
        _ response: OutboundResponse, by client: ProviderClient, codes: ErrorCodes, isOpenID: Bool
    ) throws -> Self {
        guard response.status == 200 || response.status == 201 else { throw refusal(response, client, codes) }
        // A page instead of an answer comes from another server, or from another path of the provider.
        if response.body.isPage, !response.body.isJSONAfterText {
            throw ProviderFailure.notTokenEndpoint(status: response.status)
        }
        return try success(
            form(response.body) ?? response.jsonObject(of: .token), status: response.status, client, codes,
            isOpenID: isOpenID)
    }

    /// The members of a form that are read; those of ``ProviderWords`` may hold anything.
    private static let formMembers: Set = [
        "access_token", "error", "expires_in", "id_token", "refresh_token", "scope", "token_type",
    ]

    /// Reads a form with a token or an error, which some providers send in place of JSON; `nil` for every other body.
    private static func form(_ body: [UInt8]) -> JSON? {
        // A text in JSON could contain an ampersand, and a URL with a token after it.
        guard !body.isJSONText,
            let parameters = try? Parameters.parse(
                String(decoding: body, as: UTF8.self).trimmedOfLineEnd, reading: formMembers,
                described: Set(ProviderWords.names).subtracting(formMembers)),
            parameters["access_token"] != nil || parameters["error"] != nil
        else { return nil }
        return .object(Dictionary(parameters.pairs.map { ($0.name, JSON.string($0.value)) }) { _, _ in .null })
    }

    private static func success(
        _ answer: JSON, status: Int, _ client: ProviderClient, _ codes: ErrorCodes, isOpenID: Bool
    ) throws -> Self {
        // Some providers send their errors with a status of success, and others `"error": ""` or `0` with their tokens.
        guard [nil, .string(""), .integer(0), .bool(false)].contains(answer["error"]) else {
            throw refusal(answer, status: status, client, codes)
        }
        // Others send a text of their own, such as `{"status":"error","msg":"Incorrect client secret"}`, or the error as a token.
        let isRefusal = ["access_token", "id_token"].allSatisfy { member in
            answer[member].map { $0 == .string("") || $0.string?.hasPrefix("error: ") == true } ?? true
        }
        guard !isRefusal else {
            guard errorCode(of: answer, codes).isEmpty else { throw refusal(answer, status: status, client, codes) }
            throw placeOfTokens(in: answer).map(ProviderFailure.tokensElsewhere)
                ?? .noTokens(in: answer, status: status)
        }
        // An ID token proves the person, so that an access token of an unknown type beside it is left out. Of a provider without
        // OpenID Connect nothing verifies it, so that the access token is needed.
        let isProven = isOpenID && answer["id_token"]?.string != nil
        let deviation = deviation(of: answer["token_type"], isUsed: !isProven)
        let isBearer = deviation?.isTolerated ?? true
        if let deviation, !isBearer, !isProven { throw deviation }
        let accessToken = isBearer ? text("access_token", in: answer) : nil
        if !isOpenID, accessToken == nil, let member = answer["access_token"] {
            let form =
                member.string == nil
                ? member.otherType : "a text of other characters than visible ASCII, or of too many"
            throw ProviderFailure.malformedResponse("access_token", found: "it is \(form)")
        }
        return Self(
            accessToken: accessToken.map(AccessToken.init),
            // The parser of ID tokens refuses what is none.
            idToken: answer["id_token"]?.string.flatMap { $0.isEmpty ? nil : UnverifiedIDToken($0) },
            refreshToken: text("refresh_token", in: answer).map(RefreshToken.init),
            expiresIn: lifetime(answer["expires_in"]),
            scope: scope(answer["scope"]), deviation: deviation,
            withoutProof: .unusableToken(isOpenID ? "id_token" : "access_token", in: answer))
    }

    /// Reads the type of the access token.
    ///
    /// The type proves nothing: the person is proven by the answer of the user endpoint, or by the ID token. RFC 6749 §7.1 forbids
    /// the use of a token whose type a client does not know, because a bound token needs another request. Those types are refused
    /// by their names. Providers write others for tokens that are Bearer tokens (RFC 6750), such as `User Access Token`, or none:
    /// without an ID token they are used, because the sign-in would be lost.
    ///
    /// - Parameters:
    ///   - member: `token_type`, whose value is case-insensitive (RFC 6749 §5.1).
    ///   - isUsed: Whether a token of an unknown type is used.
    /// - Returns: `nil` for Bearer, and for a member that is missing or no text.
    private static func deviation(of member: JSON?, isUsed: Bool) -> ProviderFailure? {
        let words = (member?.string ?? "").lowercased().split { !$0.isLetter }
        if let name = words.lazy.compactMap({ boundTypes[$0] }).first { return .otherTokenType(name) }
        // RFC 8693 §2.2.1: the token is no access token.
        if words == ["n", "a"] { return .otherTokenType("N_A") }
        return words.isEmpty || words == ["bearer"] ? nil : .otherTokenType(nil, isUsed: isUsed)
    }

    /// The types of tokens that only the holder of a key can use: RFC 9449, RFC 9200 and the draft of MAC.
    private static let boundTypes: [Substring: String] = ["dpop": "DPoP", "mac": "MAC", "pop": "PoP"]

    /// The place of a token in an answer whose form is not that of RFC 6749 §5.1; `nil` if there is none.
    private static func placeOfTokens(in answer: JSON) -> String? {
        let tokens = ["access_token", "accessToken", "AccessToken", "id_token", "idToken", "user_access_token"]
        func token(in object: JSON) -> String? {
            tokens.first { object[$0]?.string.map { !$0.isEmpty && !$0.hasPrefix("error: ") } == true }
        }
        if let name = token(in: answer) { return name }
        let inner = (answer.object ?? [:]).filter { $0.key.isPlainName }.sorted { $0.key < $1.key }
        return inner.lazy.compactMap { name, value in
            token(in: value).map { "\(name).\($0)" }
                ?? value.array?.first.flatMap(token).map { "\(name)[0].\($0)" }
        }.first
    }

    private static func text(_ member: String, in answer: JSON) -> String? {
        guard let text = answer[member]?.string, (1...maximumTokenBytes).contains(text.utf8.count) else { return nil }
        // An access token is sent in a field of a request (RFC 6750 §2.1).
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        // Blanks are no token, as `null` is none.
        return text.utf8.contains { $0 != 0x20 } ? text : nil
    }

    private static func lifetime(_ member: JSON?) -> Int64? {
        let seconds: Int64? =
            switch member {
            case .integer(let seconds): seconds
            case .real(let seconds): Int64(exactly: seconds.rounded(.down))
            case .string(let text): Int64(text.trimmedOfSpaces)
            default: nil
            }
        return seconds.flatMap { lifetimes.contains($0) ? $0 : nil }
    }

    /// The scope as one text; some providers send a list (RFC 6749 §3.3 defines a text with spaces).
    private static func scope(_ member: JSON?) -> String? {
        let text =
            switch member {
            case .string(let text): text
            case .array(let elements): elements.compactMap(\.string).joined(separator: " ")
            default: ""
            }
        let isScope = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isScope && (1...maximumTokenBytes).contains(text.utf8.count) ? text : nil
    }

    private static func refusal(
        _ response: OutboundResponse, _ client: ProviderClient, _ codes: ErrorCodes
    ) -> any Error {
        // A redirect with the code would send it to a URL that the provider's answer chooses.
        if (300..<400).contains(response.status) { return ProviderFailure.notTokenEndpoint(status: response.status) }
        let failure = ProviderFailure(response, codes: codes)
        guard case .failed(status: 400..<500) = failure, !failure.isPassing else { return failure }
        let json = try? JSON.parse(tolerantly: response.body.withoutByteOrderMark)
        if let answer = json?.object == nil ? form(response.body) : json {
            return refusal(answer, status: response.status, client, codes)
        }
        // RFC 6749 §5.2: 401 is the failed authentication of the client. A page comes from another server.
        return response.status == 401 && !response.body.isPageOrItsCode
            ? ProviderFailure.refusedClient(client.refusal)
            : ProviderFailure.notTokenEndpoint(status: response.status)
    }

    /// The refusal of an error response (RFC 6749 §5.2).
    ///
    /// Only an error code about the grant means that the code was rejected. A 401 without a known code is about the client
    /// credentials (§5.2).
    private static func refusal(
        _ answer: JSON, status: Int, _ client: ProviderClient, _ codes: ErrorCodes
    ) -> any Error {
        // Facebook sends an object, and Twitch a message, also beside the phrase of the status.
        if let numbers = answer["error"]?.object {
            if numbers["code"]?.integer.map(codes.grantCodes.contains) == true { return Refusal.codeRejected }
        } else if answer["error"]?.string?.isErrorWord != true, let message = answer["message"]?.string?.lowercased() {
            if ErrorCodes.grantMessages.contains(message) { return Refusal.codeRejected }
            if codes.clientMessages.contains(message) {
                return ProviderFailure.refusedClient(client.refusal)
            }
            if redirectMessages.contains(message) { return ProviderFailure.refusedClient(.callbackNotApproved) }
        }
        // Strava names the parameter at fault.
        let fields = (answer["errors"]?.array ?? []).compactMap { $0["field"]?.string?.lowercased() }
        if fields.contains("client_id") || fields.contains("client_secret") {
            return ProviderFailure.refusedClient(client.refusal)
        }
        if fields.contains("redirect_uri") { return ProviderFailure.refusedClient(.callbackNotApproved) }
        if fields.contains("code") || fields.contains("refresh_token") { return Refusal.codeRejected }
        let code = errorCode(of: answer, codes)
        if codes.grantErrors.contains(code) { return Refusal.codeRejected }
        // RFC 6749 §5.2 means the grant type of this client by it, and some providers its credentials.
        if code == "unauthorized_client", status != 401, client.refusal != .appleSecret {
            return ProviderFailure.refusedClient(.credentials)
        }
        if clientFaults.contains(code) || code == "invalid_request" && misses(secretOf: client, answer) {
            return ProviderFailure.refusedClient(client.refusal)
        }
        if code == ClientRefusal.grantType.rawValue { return ProviderFailure.refusedClient(.grantType) }
        if redirectFaults.contains(code) { return ProviderFailure.refusedClient(.callbackNotApproved) }
        guard !ProviderFailure.absent.contains(status) else { return ProviderFailure.notTokenEndpoint(status: status) }
        let isNamed = namedErrors.contains(code)
        // Auth0 says access_denied for a wrong secret.
        if status == 401, !isNamed || code == "access_denied" {
            return ProviderFailure.refusedClient(client.refusal)
        }
        guard !code.isEmpty else { return ProviderFailure.refusedWithoutCode(status: status) }
        let numbers = (answer["error_codes"]?.array ?? []).prefix(4).compactMap(\.integer).map { " \($0)" }.joined()
        return ProviderFailure.refused(
            status: status, error: (isNamed || code.isErrorWord ? code : "of another name") + numbers)
    }

    /// Whether an answer names the secret that a client does not send.
    private static func misses(secretOf client: ProviderClient, _ answer: JSON) -> Bool {
        guard case .none = client.authentication else { return false }
        return ["error_description", "message", "hint"].contains { member in
            let text = answer[member]?.string?.lowercased().replacing("_", with: " ")
            return text?.contains("client secret") == true
        }
    }

    /// Returns the error code of an answer, in lower case; an empty text if it has none.
    ///
    /// The code of RFC 6749 §5.2 may stand in another member, and in an object `error` or a list `errors`. A code that is known
    /// takes precedence over one that is not, such as the phrase of the status.
    private static func errorCode(of answer: JSON, _ codes: ErrorCodes) -> String {
        let found = answer.errorObjects.flatMap { object in
            codeMembers.compactMap { object[$0]?.string?.lowercased() }
        }
        let known = [codes.grantErrors, clientFaults, [ClientRefusal.grantType.rawValue], redirectFaults, namedErrors]
        return found.first { code in known.contains { $0.contains(code) } }
            ?? (answer["error"] ?? answer["errorCode"])?.string?.lowercased() ?? ""
    }

    /// The members in which providers write the error code.
    private static let codeMembers = [
        "error", "errorCode", "error_code", "errorType", "error_type", "code", "type", "error_subtype",
    ]

    /// The error codes that the log names: a provider could repeat a credential in another one.
    private static let namedErrors: Set<String> = [
        "invalid_request", "invalid_scope", "invalid_target", "invalid_token", "access_denied", "server_error",
        "temporarily_unavailable", "interaction_required", "unsupported_response_type",
    ]

    private static let clientFaults: Set<String> = [
        "invalid_client", "unauthorized_client", "invalid_client_secret", "invalid_consumer_key",
        "deleted_consumer_key", "disabled_consumer_key", "bad_client_secret", "invalid_client_id",
        "incorrect_client_credentials",
    ]

    private static let redirectFaults: Set<String> = [
        "bad_redirect_uri", "redirect_uri_mismatch", "invalid_redirect_uri",
    ]

    /// The values of `message`, in lower case, by which endpoints that send no `error` refuse the redirect URI.
    private static let redirectMessages: Set<String> = ["parameter redirect_uri does not match registered uri"]
}

extension String {
    /// Whether the text consists of words in lower case with underscores between them, as error codes do, and no credential.
    fileprivate var isErrorWord: Bool {
        utf8.count <= 40 && split(separator: "_", omittingEmptySubsequences: false).count > 1
            && split(separator: "_", omittingEmptySubsequences: false).allSatisfy { word in
                (2...16).contains(word.utf8.count) && word.utf8.allSatisfy { (0x61...0x7A).contains($0) }
            }
    }

    fileprivate var trimmedOfLineEnd: String { last?.isNewline == true ? String(dropLast()) : self }

    /// The text without spaces at both ends.
    fileprivate var trimmedOfSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

extension Refusal {
    package static let codeRejected = Refusal(
        .codeRejected,
        "The provider rejected the code. Usually it is wrong, expired or used, or belongs to another redirect_uri or "
            + "code_verifier. Sign in at the provider again.",
        finding: "the provider rejects the code, or the verifier of OAuth 1.0a", cause: RejectedCode())
}

/// A provider refuses what its callback has brought.
private struct RejectedCode: AdvisingCause {
    var advice: String? {
        "If what the provider says does not name another cause: if each sign-in at this provider ends so, compare the endpoints of "
            + "the section, which have to be of one environment of the provider, and the redirect URI that token-exchange doctor "
            + "prints with the registration, and try the other value of pkce, if the section has it; an application that posts codes "
            + "has to request them with client_id of the section, and to post their redirect_uri and code_verifier; if only some do, "
            + "the code was used, wrong or too old, and another sign-in gets a new one."
    }
}

extension Refusal {
    /// ``codeRejected`` for a code that was sent as it stands in the URL of the redirect.
    static let codeEncoded = Refusal(
        .codeRejected,
        "The provider rejected the code, which has percent-encoded characters. Decode the query of the redirect once, and sign in "
            + "at the provider again.",
        finding:
            "the provider rejects the code, which has percent-encoded characters: the application has to decode it once"
    )

    /// ``codeRejected`` for a request without a code verifier, if the provider names one.
    static let codeVerifierDemanded = Refusal(
        .codeRejected, codeRejected.description,
        finding: "the provider names a code verifier, and the code was sent without one", cause: DemandedCodeVerifier()
    ).concerningOperator
}

/// A provider demands PKCE, which the configuration has switched off.
struct DemandedCodeVerifier: AdvisingCause {
    var advice: String? { "If what the provider says means that it demands PKCE (RFC 7636), write pkce: S256." }

    /// Whether the words about a request without a code verifier name one (RFC 7636 §4.6).
    static func isNamed(by words: String?, about request: OutboundRequest) -> Bool {
        let form = try? Parameters.parse(String(decoding: request.body, as: UTF8.self))
        guard form?["grant_type"] == "authorization_code", form?["code_verifier"] == nil, let words else {
            return false
        }
        let text = words.lowercased().replacing("_", with: " ")
        return ["pkce", "code verifier", "code challenge"].contains { text.contains($0) }
    }
}

/// The request that redeems a grant (RFC 6749 §4.1.3).
enum TokenRequest {
    /// The parameters, without the authentication of the client.
    static func form(_ grant: borrowing AuthorizationGrant) -> [(name: String, value: String)] {
        var form: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"),
            ("code", grant.code.secretText),
            ("redirect_uri", grant.redirectURI),
        ]
        if let verifier = grant.codeVerifier {
            // RFC 7636 §4.5.
            form.append(("code_verifier", verifier.secret.secretText))
        }
        return form
    }
}
