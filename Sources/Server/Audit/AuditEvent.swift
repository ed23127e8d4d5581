internal import Jansson

/// One line of the audit trail: who did what to which account, or was refused.
///
/// ```json
/// {"audit":"mint","audience_proof":"id_token_aud","client":"my-app","endpoint":"/v1/exchange",
///  "provider":"yahoo.com","request_id":"…","time":"2023-11-14T22:13:20.125Z","uid":"yahoo.com:UQ…"}
/// ```
/// Only names and times: never a token, a code or an address of a person.
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
    package let time: Timestamp
    package let requestID: String
    package let endpoint: String
    package let subject: AuditSubject
    /// The reason of a refusal, as the client was told.
    package let reason: String?

    /// One line of JSON without its end.
    package var line: String {
        var members: [String: JSON] = [
            "audit": .string(kind.rawValue), "time": .string("\(time)"), "request_id": .string(requestID),
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
