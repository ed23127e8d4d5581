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
