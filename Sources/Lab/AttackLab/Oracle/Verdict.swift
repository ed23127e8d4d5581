internal import Jansson

package enum Verdict: Sendable, Equatable {
    case blocked
    case broken([Finding])
    /// The attack could not be carried through, so that nothing is known.
    case inconclusive(String)
    /// What it needs is not there.
    case notApplicable(Set<Need>)

    package var isBroken: Bool {
        if case .broken = self { true } else { false }
    }

    package var isInconclusive: Bool {
        if case .inconclusive = self { true } else { false }
    }

    /// Whether it may be the machine's doing.
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

/// An honest step went wrong: nothing can be said of the attack.
struct Inconclusive: Error, CustomStringConvertible {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    var description: String { sentence }
}

/// One way in which a server was not what it ought to be.
package struct Finding: Sendable, Hashable, Error {
    package enum Kind: String, Sendable, CaseIterable {
        /// A custom token, a handoff code, a link or an account was had.
        case minted
        /// Status, `error` or `reason` are not those of the contract.
        case wrongAnswer = "wrong-answer"
        /// A provider was called, or was not, as it must not be.
        case sideEffect = "side-effect"
        /// A request reached the hostile host.
        case exfiltrated
        /// A credential of another person was used up.
        case consumed
        /// More than one of many at once succeeded, or none.
        case raced
        /// A secret stands in an answer, a header field or the log.
        case leaked
        /// Input came back.
        case echoed
        /// A protecting header field is missing.
        case unprotected
        /// The server no longer serves a good sign-in.
        case dead
        /// It took longer than it may.
        case slow
    }

    package let kind: Kind
    package let sentence: String

    init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }
}

/// What an attacker is after.
enum Prize {
    /// What the answer gives away; nil for nothing.
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
