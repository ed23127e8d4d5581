internal import Jansson

/// One line of the audit trail: who did what to which account, or was refused.
///
/// ```json
/// {"audit":"mint","at":1700000000,"audience_proof":"id_token_aud","client":"my-app","endpoint":"/v1/exchange",
///  "provider":"yahoo.com","request_id":"…","uid":"yahoo.com:UQ…"}
/// ```
/// Names and times alone: never a token, a code or an address of a person.
package struct AuditEvent: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case mint
        case link
        case unlink
        case merge
        case delete
        case signOut = "sign_out"
        case refusal
    }

    package let kind: Kind
    /// Seconds since 1970-01-01T00:00:00Z.
    package let at: Int64
    package let requestID: String
    package let endpoint: String
    package let subject: AuditSubject
    /// Of a refusal, as the client was told.
    package let reason: String?

    /// One line of JSON without its end.
    package var line: String {
        var members: [String: JSON] = [
            "audit": .string(kind.rawValue), "at": .integer(at), "request_id": .string(requestID),
            "endpoint": .string(endpoint),
        ]
        members["client"] = subject.client.map(JSON.string)
        members["provider"] = subject.provider.map(JSON.string)
        members["audience_proof"] = subject.audienceProof.map(JSON.string)
        members["uid"] = subject.uid.map(JSON.string)
        members["merged_uid"] = subject.mergedUID.map(JSON.string)
        members["email_held_by"] = subject.emailHeldBy.isEmpty ? nil : .array(subject.emailHeldBy.map(JSON.string))
        members["app_check"] = subject.appCheck.map(JSON.string)
        members["reason"] = reason.map(JSON.string)
        return String(decoding: JSON.object(members).serialized(), as: UTF8.self)
    }
}
