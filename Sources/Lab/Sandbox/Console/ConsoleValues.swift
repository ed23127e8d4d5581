import Jansson
import Transport

/// Codes and tokens of earlier answers of a run, which replace the placeholders of examples.
struct ConsoleValues {
    /// Members whose values an application carries from one answer to a later request.
    private static let carried: Set<String> = [
        "session", "id_token", "access_token", "oauth_token", "oauth_token_secret", "refresh_token",
        "pending_credential", "factor_id", "device_code", "code",
    ]

    /// The last text of each member in the answers of the run.
    private let values: [String: String]
    /// The present code of the second factor; `nil` if the sandbox does not know its secret.
    private let totp: String?

    /// - Parameters:
    ///   - authenticators: The authenticator applications by the keys of their users.
    ///   - now: The time of the code of a second factor.
    init(_ run: Run?, authenticators: [String: SandboxAuthenticator], now: Int64) {
        var values: [String: String] = [:]
        for step in run?.steps ?? [] {
            guard let body = step.outcome.response?.body, let answer = try? JSON.parse(body, maximumBytes: 1 << 20)
            else { continue }
            var found: [String: String] = [:]
            Self.collect(answer, into: &found)
            // The code of an error is not one to redeem.
            if step.outcome.isRefusal { found["code"] = nil }
            values.merge(found) { $1 }
        }
        self.values = values
        let user = run?.steps.last { $0.kind == .library }.map {
            $0.request.members["user"]?.string ?? SandboxUser.alice.key
        }
        totp =
            (values["secret"].flatMap(SandboxAuthenticator.init) ?? user.flatMap { authenticators[$0] })?.code(at: now)
    }

    /// The Firebase ID token of the last sign-in at Firebase; empty if there was none.
    var bearer: String { values["idToken"] ?? "" }

    /// Fills the example of an operation with values of earlier answers.
    func filling(_ example: JSON, of operation: ConsoleOperation) -> JSON {
        guard case .object(let members) = example else { return example }
        return .object(
            Dictionary(
                uniqueKeysWithValues: members.map { name, member in
                    switch member {
                    case .object: (name, filling(member, of: operation))
                    case .string(let text): (name, .string(value(name, text, operation) ?? text))
                    default: (name, member)
                    }
                }))
    }

    private func value(_ name: String, _ example: String, _ operation: ConsoleOperation) -> String? {
        switch operation.kind {
        // The provider gets the nonce, the server the verifier.
        case .library: name == "nonce" ? values["nonce"] : nil
        case .firebaseSignIn: name == "token" ? values["custom_token"] : nil
        case .refresh: name == "refresh_token" ? values["refreshToken"] : nil
        default:
            example == "NONCE-VERIFIER"
                ? values["nonce_verifier"]
                : name == "totp" ? totp : Self.carried.contains(name) ? values[name] : nil
        }
    }

    private static func collect(_ value: JSON, into values: inout [String: String]) {
        switch value {
        case .object(let members):
            for (name, member) in members {
                if let text = member.string { values[name] = text } else { collect(member, into: &values) }
            }
        case .array(let elements): for element in elements { collect(element, into: &values) }
        default: break
        }
    }
}
