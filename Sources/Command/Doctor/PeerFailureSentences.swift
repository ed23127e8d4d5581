internal import Firebase
internal import Minting
internal import OpenSSL
internal import Standards
internal import Transport

extension TransportError {
    /// What an operator does so that the calls arrive.
    ///
    /// - Parameter peer: The peer, such as `the provider`.
    /// - Returns: The remedy.
    func remedy(reaching peer: String) -> String {
        advice ?? "Let this machine reach \(peer) by https."
    }
}

extension DocumentError {
    /// What an operator does, by ``TransportError/remedy(reaching:)`` if there is no answer.
    func remedy(reaching peer: String, otherwise remedy: String) -> String {
        if case .unreachable(let error) = self { error.remedy(reaching: peer) } else { remedy }
    }
}

extension AccessTokenError {
    /// The failure in words, for an operator.
    var sentence: String {
        switch self {
        case .unreachable(let error): error.sentence
        case .refused(let status): "Google refuses to issue one, with the status \(status)"
        case .busy(let status): "Google cannot issue one now, with the status \(status)"
        case .malformed: "the answer has no usable token"
        case .signing(let error): "OpenSSL did not sign the request for it: \(error.reasons.joined(separator: "; "))"
        case .unsigned(let reason): "the signer did not sign the request for it: \(reason)"
        case .subjectToken(let error): error.sentence
        case .impersonationRefused(let refusal): refusal.description
        case .noOther: "Google has just refused the only one"
        }
    }
}

extension SubjectTokenError {
    /// The failure in words, for an operator.
    var sentence: String {
        switch self {
        case .unreadableFile(let path): "the token of this machine cannot be read from the file \(path)"
        case .unreachable(let error): "this machine gets no token of its own: \(error.sentence)"
        case .refused(let status): "this machine gets no token of its own: the status is \(status)"
        case .malformed: "the file or answer has no token of this machine"
        }
    }
}

extension MintingError {
    /// The failure in words, for an operator.
    var sentence: String {
        switch self {
        case .uidLength: "a uid has 1 to 128 UTF-16 code units"
        case .reservedClaim(let name): "Firebase reserves the claim \(name)"
        case .claimsTooLarge(let bytes): "the developer claims have \(bytes) bytes, which Firebase does not accept"
        case .overloaded: "too many signatures are requested now"
        case .cancelled: "the call was cancelled"
        case .key(let error): "OpenSSL did not sign with the key: \(error.reasons.joined(separator: "; "))"
        case .unknownServiceAccount: "the metadata server does not name the service account of this machine"
        case .accessToken(let error): "there is no access token: \(error.sentence)"
        case .unreachable(let error): error.sentence
        case .refused(let refusal): refusal.description
        case .malformedResponse: "the answer of Google's signing service has no signature"
        case .process(.unreachable): "the signer does not answer"
        case .process(.refused(let refusal)): "the signer refuses: \(refusal.rawValue)"
        case .process(.malformedAnswer): "the answer of the signer cannot be read, or is not what was asked"
        case .process(.otherKey): "the answer is not signed with the key that the signer had before"
        }
    }
}

extension IdentityToolkitError {
    /// The failure in words, for an operator.
    var sentence: String {
        switch self {
        case .accessToken(let error): "there is no access token: \(error.sentence)"
        case .unreachable(let error): error.sentence
        case .unavailable(let status), .rejected(let status): "the status is \(status)"
        case .outcomeUnknown: "there is no answer, and the change may have been made nevertheless"
        case .busy: "a quota is used up, or calls are too frequent"
        case .malformedAnswer: "the answer is not that of Identity Toolkit"
        case .unauthenticated: "it refuses the access token"
        case .permissionDenied: "the service account lacks a role, or the API is disabled"
        case .notConfigured: "the project or tenant does not exist, or Authentication was never enabled there"
        case .userNotFound: "there is no such user"
        case .userDisabled: "the user is disabled"
        case .emailExists: "the e-mail address belongs to another user"
        case .duplicateLocalID: "the uid belongs to another user"
        case .federatedIDTaken: "the identity belongs to another user"
        case .invalidCustomToken: "the custom token is not valid"
        case .credentialMismatch: "the custom token and the API key belong to different projects"
        case .tenantMismatch: "the custom token and the call name different tenants"
        }
    }
}
