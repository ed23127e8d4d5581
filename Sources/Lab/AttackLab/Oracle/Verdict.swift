internal import Jansson

package enum Verdict: Sendable, Equatable {
    case blocked
    case broken([Finding])
    /// The attack could not be completed, so that its result is unknown.
    case inconclusive(String)
    /// The target does not meet these requirements.
    case notApplicable(Set<Need>)

    package var isBroken: Bool {
        if case .broken = self { true } else { false }
    }

    package var isInconclusive: Bool {
        if case .inconclusive = self { true } else { false }
    }

    /// Whether a busy machine may have caused the verdict.
    var isDoubtful: Bool {
        switch self {
        case .blocked, .notApplicable: false
        case .inconclusive: true
        case .broken(let findings): findings.allSatisfy { $0.kind == .slow }
        }
    }

    package var isNotApplicable: Bool {
        if case .notApplicable = self { true } else { false }
    }

    package var word: String {
        switch self {
        case .blocked: "blocked"
        case .broken: "broken"
        case .inconclusive: "inconclusive"
        case .notApplicable: "not applicable"
        }
    }
}

/// The failure of an honest step, which makes the attack inconclusive.
struct Inconclusive: Error, CustomStringConvertible {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    var description: String { sentence }
}

/// One way in which a server did not behave correctly.
package struct Finding: Sendable, Hashable, Error {
    package enum Kind: String, Sendable, CaseIterable {
        /// The attacker received a custom token, a handoff code, a link or an account.
        case minted
        /// Status, `error` or `reason` differ from the contract.
        case wrongAnswer = "wrong-answer"
        /// The server called a provider although it must not, or did not call it although it must.
        case sideEffect = "side-effect"
        /// A request reached the hostile host.
        case exfiltrated
        /// A credential of another user was spent.
        case consumed
        /// More than one of many concurrent requests succeeded, or none.
        case raced
        /// A response, a header field or the log contains a secret.
        case leaked
        /// A response contains input of the request.
        case echoed
        /// A protecting header field is missing.
        case unprotected
        /// A correct sign-in no longer succeeds.
        case dead
        /// The response took too long.
        case slow
    }

    package let kind: Kind
    package let sentence: String

    init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }
}

/// The values that an attacker wants to receive.
enum IssuedCredential {
    /// Returns what the attacker gains by a response; `nil` for nothing.
    static func of(_ answer: Answer) -> String? {
        if (200..<300).contains(answer.status), let json = answer.json {
            for (member, name) in members where json[member]?.string != nil { return name }
        }
        // Error responses (RFC 6749 §4.1.2.1) have no code.
        if (300..<400).contains(answer.status), answer.redirected("code") != nil,
            answer.redirected("client_id") == nil
        {
            return "a handoff code"
        }
        return nil
    }

    private static let members = [
        ("custom_token", "a custom token"), ("firebase_id_token", "a Firebase ID token"),
        ("access_token", "a token"), ("merged_uid", "a merged account"),
    ]
}
