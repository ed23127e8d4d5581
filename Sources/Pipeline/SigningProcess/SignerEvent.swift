package import Jansson
package import LocalSockets
package import Minting

/// A line of the signer's audit trail: a question, who asked it, and the decision.
///
/// It names the claims and leaves out their values, and never contains a token.
package struct SignerEvent: Sendable {
    package let milliseconds: Int64
    package let peer: LocalPeer
    /// `nil` for a question that could not be read.
    package let question: SigningRequest.Kind?
    /// `nil` for a signature.
    package let refusal: SignerRefusal?
    /// The number of refusals before this line that have no line of their own.
    let omittedRefusals: Int64

    package var json: JSON {
        var members: [String: JSON] = [
            "time": .integer(milliseconds), "event": .string(refusal == nil ? "signed" : "refused"),
            "peer": .object([
                "pid": .integer(Int64(peer.processID)), "user_id": .integer(Int64(peer.userID)),
            ]),
        ]
        members["omitted_refusals"] = omittedRefusals > 0 ? .integer(omittedRefusals) : nil
        members["reason"] = refusal.map { .string($0.rawValue) }
        if let question {
            members["type"] = .string(question.name)
            members.merge(Self.facts(question)) { $1 }
        }
        return .object(members)
    }

    private static func facts(_ question: SigningRequest.Kind) -> [String: JSON] {
        switch question {
        case .customToken(let uid, let claims, let tenantID, let lifetime):
            var facts: [String: JSON] = [
                "uid": .string(shortened(uid)), "lifetime": .integer(lifetime),
                "claims": .array(claims.keys.sorted().prefix(maximumNames).map { .string(shortened($0)) }),
            ]
            facts["tenant_id"] = tenantID.map { .string(shortened($0)) }
            return facts
        case .hookEvent(let audience, let id, _):
            return ["audience": .string(shortened(audience)), "jti": .string(shortened(id))]
        case .accessTokenAssertion, .check: return [:]
        }
    }

    private static let maximumNames = 64

    /// A refused question may contain texts of any length, which must not fill the disk.
    private static func shortened(_ text: String) -> String { String(text.unicodeScalars.prefix(256)) }
}
