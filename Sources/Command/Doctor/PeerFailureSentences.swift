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
