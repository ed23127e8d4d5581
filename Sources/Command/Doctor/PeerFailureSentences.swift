internal import Firebase
internal import Minting
internal import OpenSSL
internal import Standards
internal import Transport

extension TransportError {
    /// What an operator does so that the calls arrive.
    ///
    /// - Parameter peer: The peer, such as `the provider`.
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
