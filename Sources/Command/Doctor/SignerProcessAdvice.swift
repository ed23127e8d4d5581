internal import Foundation
internal import Minting
internal import OperatingSystem
internal import Transport

/// What an operator should do if the process that holds the key does not sign.
enum SignerProcessAdvice {
    static let general =
        "If no signer runs at firebase.signer_socket, start it (with systemd: systemctl start token-exchange-signer). If it "
        + "refuses, read the audit line that it has written to its standard output (with systemd: journalctl -u "
        + "token-exchange-signer)."
    private static let start = "Start the signer (with systemd: systemctl start token-exchange-signer)."

    static func text(for error: SignerProcessError) -> String {
        switch error {
        case .unreachable(.unreachable(errno: ENOENT)):
            "There is no socket at firebase.signer_socket. \(start)"
        case .unreachable(.unreachable(errno: ECONNREFUSED)):
            "No process listens at firebase.signer_socket. \(start)"
        case .unreachable(.unreachable(errno: EACCES)):
            "The user \(ProcessUser.name) may not connect to firebase.signer_socket. Add it to the group of the socket, which also "
                + "has to enter its folder, or run this command as the user of the server."
        case .unreachable:
            "The signer does not answer. Restart it (with systemd: systemctl restart token-exchange-signer)."
        case .refused(let refusal): text(for: refusal)
        case .malformedAnswer:
            "The answer is not that of a signer of this version. Install the same version on both sides, and see which "
                + "process listens at firebase.signer_socket."
        case .otherKey:
            "If the key of the signer was replaced, reload the server (SIGHUP). Otherwise see which process listens at "
                + "firebase.signer_socket."
        }
    }

    private static func text(for refusal: SignerRefusal) -> String {
        switch refusal {
        case .peerNotAllowed:
            "The signer does not allow the user \(ProcessUser.name), who runs this command. If the server runs as this user too, "
                + "add it to allowed_users in the configuration of the signer; otherwise run this command as the user of the "
                + "server."
        case .projectMismatch:
            "If firebase.project_id is the project of the users in the Firebase console, name a service account of that project "
                + "in the configuration of the signer; otherwise correct firebase.project_id."
        case .lifetimeNotAllowed: "Raise token_lifetime in the configuration of the signer, or lower it here."
        case .claimNotAllowed: "Add the names of all developer claims to claims in the configuration of the signer."
        case .tenantNotAllowed: "Add the tenant, or none, to tenants in the configuration of the signer."
        case .uidNotAllowed: "Add the beginning of the uid to uid_prefixes in the configuration of the signer."
        case .audienceNotAllowed: "Add the URL of the hook to hooks in the configuration of the signer."
        case .accessTokensNotAllowed: "Write access_tokens: true in the configuration of the signer."
        case .unsupportedVersion, .malformed: "Install the same version of the signer and of the server."
        case .auditFailed: "The signer cannot write its audit trail. Check the disk and the journal of its machine."
        case .uidInvalid, .reservedClaim, .claimsTooLarge, .idInvalid, .rateExceeded, .keyFailed: general
        }
    }
}
