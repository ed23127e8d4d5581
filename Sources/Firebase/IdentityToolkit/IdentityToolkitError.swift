internal import Jansson
internal import OpenSSL
package import Standards
package import Transport

/// The reason why a call to Identity Toolkit failed.
///
/// The error contains nothing of the request. Of the response it contains the code of an error and the words after it,
/// without credentials and e-mail addresses, and the message of a blocking function, which is a text of the operator.
package enum IdentityToolkitError: Error, Equatable, Sendable {
    /// The call was not sent, because there is no access token.
    case accessToken(AccessTokenError)
    /// There was no response, and nothing was written.
    case unreachable(TransportError)
    /// The response was 5xx, and nothing was written.
    case unavailable(status: Int)
    /// A change received no response, or 5xx, and may have been made nevertheless.
    case outcomeUnknown
    /// A quota is used up, or calls are too frequent. `says` is what Google says about it.
    case busy(says: String? = nil)
    /// The response has the wrong form. If the call was a change, it was made nevertheless.
    case malformedAnswer

    /// A second access token was refused as well, or there is no other. `says` is what Google says about it.
    case unauthenticated(says: String? = nil)
    /// The service account lacks a role, or no call of this server is allowed.
    case permissionDenied(CallFault)
    /// The project or tenant does not exist, or Authentication was never enabled there. `code` has the words after it too.
    case notConfigured(code: String)
    /// The response has another error, whose code and words are in `code`; `nil` if it has none, as a page of HTML.
    case rejected(status: Int, code: String? = nil)

    case userNotFound
    case userDisabled
    case emailExists
    case duplicateLocalID
    case federatedIDTaken
    /// `says` is what Google says about the token, such as `INVALID_CUSTOM_TOKEN : AUDIENCE_MISMATCH`.
    case invalidCustomToken(says: String? = nil)
    /// The custom token and the API key belong to different projects.
    case credentialMismatch
    /// Google does not accept the API key for this call. `says` is what Google says if the fault is unnamed.
    case apiKey(APIKeyFault, says: String? = nil)
    case tenantMismatch
    /// Firebase requires App Check for Authentication, and this call has no token of an application.
    case appCheckRequired
    /// A blocking function of the project refuses the sign-in, with its message for the user; `nil` if it has failed.
    case blocked(message: String?)

    /// Whether the same call may be repeated: Identity Toolkit refused it for now (429, 503) or never received it.
    package var isRefusalForNow: Bool {
        switch self {
        case .busy, .unavailable(status: 503): true
        case .unreachable(let error): !error.requestMayHaveArrived
        default: false
        }
    }

    /// Whether it is certain that nothing was written.
    package var nothingWasWritten: Bool {
        switch self {
        case .outcomeUnknown, .malformedAnswer: false
        default: true
        }
    }
}

extension IdentityToolkitError {
    /// Reads a response with another status than 200.
    ///
    ///     {"error": {"code": 400, "message": "EMAIL_EXISTS : more text", "status": "INVALID_ARGUMENT"}}
    ///
    /// The code is the part of `message` before the first colon.
    ///
    /// - Parameter apiKey: The API key of the request, which the error does not contain.
    init(_ response: OutboundResponse, hiding apiKey: Secret? = nil) {
        let error = (try? JSON.parse(response.body))?["error"]
        let message = error?["message"]?.string ?? ""
        let code = message.prefix { $0 != ":" }.filter { !$0.isWhitespace }
        let fault = CallFault(error)
        if response.body.isPage, (400...499).contains(response.status),
            !RetryPolicy.isTemporary(status: response.status)
        {
            // A server in between answers: neither the service account nor the API key was refused.
            self = .rejected(status: response.status)
        } else if response.status == 401, message.contains("App Check") {
            self = .appCheckRequired
        } else if code == "BLOCKING_FUNCTION_ERROR_RESPONSE" {
            self = .blocked(message: Self.messageOfFunction(message))
        } else {
            self =
                APIKeyFault(error).map { Self.apiKey($0) } ?? Self(code: code, fault)
                ?? Self(code: error?["status"]?.string ?? "", fault) ?? Self(status: response.status, fault)
        }
        let words = response.googleWords(hiding: apiKey)
        switch self {
        case .busy: self = .busy(says: words)
        case .invalidCustomToken: self = .invalidCustomToken(says: words)
        case .unauthenticated where apiKey == nil: self = .unauthenticated(says: words)
        case .rejected(let status, _): self = .rejected(status: status, code: words)
        case .permissionDenied(.role) where apiKey != nil, .unauthenticated where apiKey != nil:
            // Neither a service account nor an access token takes part in a call with an API key.
            self = .apiKey(.unnamed, says: words)
        case .permissionDenied(.role) where CallFault.isUnknown(error):
            self = .rejected(status: response.status, code: words)
        case .notConfigured(let name) where name == code: self = .notConfigured(code: words ?? name)
        default: break
        }
    }

    /// The message of an `HttpsError` that a blocking function has thrown to refuse; `nil` if it has failed otherwise.
    ///
    ///     BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: {"error":{"code":403,"message":"..."}}
    private static func messageOfFunction(_ message: String) -> String? {
        guard let start = message.firstIndex(of: "{"),
            let error = (try? JSON.parse(Array(message[start...].utf8)))?["error"], let status = error["code"]?.integer,
            (400...499).contains(status), !RetryPolicy.isTemporary(status: Int(status)),
            let text = error["message"]?.string
        else { return nil }
        let visible = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(300)
        return String(String.UnicodeScalarView(visible))
    }

    private init?(code: String, _ fault: CallFault) {
        switch code {
        case "USER_NOT_FOUND": self = .userNotFound
        case "USER_DISABLED": self = .userDisabled
        case "EMAIL_EXISTS", "DUPLICATE_EMAIL": self = .emailExists
        case "DUPLICATE_LOCAL_ID": self = .duplicateLocalID
        case "FEDERATED_USER_ID_ALREADY_LINKED": self = .federatedIDTaken
        case "INVALID_CUSTOM_TOKEN", "MISSING_CUSTOM_TOKEN": self = .invalidCustomToken()
        case "CREDENTIAL_MISMATCH": self = .credentialMismatch
        case "TENANT_ID_MISMATCH": self = .tenantMismatch
        case "QUOTA_EXCEEDED", "TOO_MANY_ATTEMPTS_TRY_LATER", "RESOURCE_EXHAUSTED": self = .busy()
        case "PERMISSION_DENIED", "INSUFFICIENT_PERMISSION": self = .permissionDenied(fault)
        case "UNAUTHENTICATED": self = .unauthenticated()
        case "PROJECT_NOT_FOUND", "TENANT_NOT_FOUND", "CONFIGURATION_NOT_FOUND", "UNSUPPORTED_TENANT_OPERATION":
            self = .notConfigured(code: code)
        default: return nil
        }
    }

    private init(status: Int, _ fault: CallFault) {
        switch status {
        case 401: self = .unauthenticated()
        case 403: self = .permissionDenied(fault)
        case 429: self = .busy()
        case 500...: self = .unavailable(status: status)
        default: self = .rejected(status: status)
        }
    }
}

extension IdentityToolkitError: RefusalCause {
    /// The refusal of a custom token that is traded in for a Firebase session.
    package var refusal: Refusal {
        switch self {
        case .userDisabled:
            Refusal(
                .userDisabled, "The account is disabled. Only the operator can enable it.", finding: sentence,
                isUnspent: isRefusalForNow, cause: self)
        case .unreachable, .unavailable, .busy, .outcomeUnknown, .accessToken:
            Refusal(
                .directoryUnavailable,
                "Firebase does not exchange the custom token now. Do what retry says, or begin again after a redirect.",
                finding: sentence, isUnspent: isRefusalForNow, cause: self)
        case .blocked(let message?):
            Refusal(
                .blockedByHook,
                "A blocking function of the Firebase project refuses this sign-in. Show its message to the user.",
                finding: sentence, .message(message), cause: self)
        // Another sign-in would end so too.
        case .malformedAnswer, .unauthenticated, .permissionDenied, .notConfigured, .rejected, .userNotFound,
            .emailExists, .duplicateLocalID, .federatedIDTaken, .invalidCustomToken, .credentialMismatch, .apiKey,
            .tenantMismatch, .appCheckRequired, .blocked(message: nil):
            Refusal(
                .directoryUnavailable,
                "Firebase refuses to exchange the custom token. The operator must act: report the request_id.",
                finding: "Firebase does not exchange the custom token: \(sentence)", retry: .never, cause: self)
        }
    }
}

/// Why Google does not accept an API key.
///
/// - SeeAlso: <https://cloud.google.com/api-keys/docs/add-restrictions-api-keys>
package enum APIKeyFault: String, Sendable, Equatable, CaseIterable {
    case invalid = "API_KEY_INVALID"
    case websites = "API_KEY_HTTP_REFERRER_BLOCKED"
    case addresses = "API_KEY_IP_ADDRESS_BLOCKED"
    case androidApplications = "API_KEY_ANDROID_APP_BLOCKED"
    case iosApplications = "API_KEY_IOS_APP_BLOCKED"
    case interfaces = "API_KEY_SERVICE_BLOCKED"
    /// Google names no reason.
    case unnamed = "API_KEY_REFUSED"

    /// Reads the reason in the details of an error, or in the form of older interfaces, or its message if it has none.
    fileprivate init?(_ error: JSON?) {
        let reasons = (error?["details"]?.array ?? []).prefix(8).compactMap { $0["reason"]?.string }
        if let fault = reasons.lazy.compactMap(Self.init(rawValue:)).first {
            self = fault
            return
        }
        if (error?["errors"]?.array ?? []).prefix(8).contains(where: { $0["reason"]?.string == "keyInvalid" }) {
            self = .invalid
            return
        }
        let message = (error?["message"]?.string ?? "").prefix(512).lowercased()
        guard let found = Self.sentences.first(where: { message.contains($0.part) }) else { return nil }
        self = found.fault
    }

    /// What Google writes in the message.
    private static let sentences: [(part: String, fault: Self)] = [
        ("api key not valid", .invalid), ("api key expired", .invalid), ("api key not found", .invalid),
        ("requests from referer", .websites), ("ip address restriction", .addresses),
        ("android client application", .androidApplications), ("ios client application", .iosApplications),
        ("requests to this api", .interfaces),
    ]

    /// The fault in words, for an operator.
    fileprivate func sentence(_ words: String?) -> String {
        let reason = self == .unnamed ? words : rawValue
        return "Google refuses the call with firebase.api_key" + (reason.map { " (\($0))" } ?? " and names no reason")
    }

    fileprivate var advice: String {
        switch self {
        case .invalid: "Write the web API key that the project's settings in the Firebase console show."
        case .unnamed:
            "If the Identity Toolkit API is disabled in the Google Cloud console, enable it; if the key is restricted there, "
                + "compare its restrictions."
        case .websites, .addresses, .androidApplications, .iosApplications, .interfaces:
            "The key has restrictions that do not fit this server: write another one of the same project, which the Google Cloud "
                + "console restricts only to the Identity Toolkit API and, if at all, to the addresses of this server."
        }
    }
}

extension IdentityToolkitError: AdvisingCause {
    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .accessToken(let error): "there is no access token: \(error.sentence)"
        case .unreachable(let error): error.sentence
        case .unavailable(let status): "the status is \(status)"
        case .rejected(let status, let code):
            "the status is \(status)"
                + (code.map { " with the error \($0)" } ?? ", without an error of Identity Toolkit")
        case .notConfigured(let code): "the answer has the error \(code)"
        case .outcomeUnknown: "there is no answer, and the change may have been made nevertheless"
        case .busy(let words):
            "Identity Toolkit says that a quota of the project is used up, or that calls are too frequent"
                + (words.map { " (\($0))" } ?? "")
        case .malformedAnswer: "the answer is not that of Identity Toolkit"
        case .unauthenticated(let words):
            "Identity Toolkit refuses the access token" + (words.map { " (\($0))" } ?? "")
        case .permissionDenied(let fault):
            fault.sentence("Identity Toolkit API") ?? "Google does not permit the call to the service account"
        case .userNotFound: "there is no such user"
        case .userDisabled: "the user is disabled"
        case .emailExists: "the e-mail address belongs to another user"
        case .duplicateLocalID: "the uid belongs to another user"
        case .federatedIDTaken: "the identity belongs to another user"
        case .invalidCustomToken(let words): "the custom token is not valid" + (words.map { " (\($0))" } ?? "")
        case .credentialMismatch: "the custom token and the API key belong to different projects"
        case .apiKey(let fault, let words): fault.sentence(words)
        case .tenantMismatch: "the custom token and the call name different tenants"
        case .appCheckRequired:
            "App Check is enforced for Authentication, and this server is no application that could have its token"
        case .blocked(message: nil): "a blocking function of the project fails, or refuses without an HttpsError"
        case .blocked: "a blocking function of the project refuses the sign-in"
        }
    }

    /// The instruction for the operator; `nil` if the failure may pass, or if it depends on the call what to do.
    package var advice: String? {
        switch self {
        case .apiKey(let fault, _): fault.advice
        case .credentialMismatch: "Check that firebase.api_key belongs to the project of the service account."
        case .invalidCustomToken:
            "If the words of Google name no other cause: check that firebase.api_key belongs to the project of the service account, "
                + "and synchronize the clock of this machine with NTP. If a key of the service account signs, check that it was "
                + "neither deleted nor has expired: token-exchange doctor compares it with those that Google publishes."
        case .rejected(_, code: nil), .malformedAnswer:
            "\(Self.adviceOnProject) \(OutboundResponse.adviceOnProxies)"
        case .notConfigured, .tenantMismatch, .rejected: Self.adviceOnProject
        case .accessToken(let error): error.advice
        case .unreachable(let error): error.advice(mayBeProvider: false)
        case .busy:
            "If it lasts, look at the quotas of the Identity Toolkit API in the Google Cloud console of the project."
        case .unauthenticated: AccessTokenError.refused(status: 401).advice
        case .permissionDenied(let fault): fault.remedy("identitytoolkit.googleapis.com")
        case .appCheckRequired:
            "Let the application sign in with the custom token itself (redeem: false of the client), because its SDK sends the "
                + "token; or end the enforcement for Authentication in the Firebase console under App Check."
        case .blocked: "Read the log of the function: it is beforeCreate or beforeSignIn of Firebase Authentication."
        default: nil
        }
    }

    private static let adviceOnProject =
        "Compare firebase.tenant_id, and firebase.project_id (without it, the project of the service account), with the "
        + "Firebase console. If Authentication is not set up there, switch it on; if firebase.endpoints is written, compare it."
}

extension AccessTokenError {
    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .unreachable(let error): error.sentence
        case .refused(let status, let words?, let key):
            "Google refuses to issue one\(key.map { " to \($0)" } ?? ""), with the status \(status): \(words)"
        case .refused(let status, words: nil, _): "the answer has the status \(status) and no words of Google"
        case .busy(let status): "Google cannot issue one now, with the status \(status)"
        case .malformed: "the answer has no usable token"
        case .signing(let error): "OpenSSL did not sign the request for it: \(error.reasons.joined(separator: "; "))"
        case .unsigned(let reason): "the signer did not sign the request for it: \(reason)"
        case .subjectToken(let error): error.sentence
        case .impersonationRefused(let refusal): refusal.description
        case .noOther: "Google has just refused the only one"
        }
    }

    /// The instruction for the operator; `nil` if the failure may pass, or if only the signer knows its cause.
    package var advice: String? {
        switch self {
        case .refused(_, words: nil, _):
            "\(Self.malformed.advice ?? "") \(OutboundResponse.adviceOnProxies) \(Self.adviceOnCredentials)"
        // The account of a refused token may have been deleted or disabled since the token was issued.
        case .refused, .noOther: Self.adviceOnCredentials
        case .unreachable(let error): error.advice(mayBeProvider: false)
        case .impersonationRefused(let refusal): refusal.remedy
        case .subjectToken(.unreadableFile):
            "If there is no such file on the machine that serves, correct credential_source.file, or mount the file. If there "
                + "is, let the user of the server read it, and check that its owner renews it."
        case .subjectToken:
            "Check credential_source in the file firebase.google_credentials, on the machine that serves."
        case .malformed: "If firebase.endpoints is written, compare it with the addresses of Google."
        case .signing: "Use the key file that the console offered for download, unchanged."
        case .busy, .unsigned: nil
        }
    }

    private static let adviceOnCredentials =
        "If a key of the service account signs, check in the Google Cloud console that both exist and are enabled, and "
        + "synchronize the clock of this machine with NTP. With firebase.google_credentials, compare the file with the "
        + "workload identity pool provider (audience, and the conditions for the token of this machine), or sign in with "
        + "gcloud again if it is the sign-in of a person. With neither, attach a service account to this machine; on GKE "
        + "grant the role Workload Identity User (roles/iam.workloadIdentityUser) on it."
}

extension SubjectTokenError {
    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .unreadableFile(let path): "the token of this machine cannot be read from the file \(path)"
        case .unreachable(let error): "this machine gets no token of its own: \(error.sentence)"
        case .refused(let status, let address):
            "this machine gets no token of its own: the status of \(address) is \(status)"
        case .malformed(let problem): "this machine gets no token of its own: \(problem)"
        }
    }
}
