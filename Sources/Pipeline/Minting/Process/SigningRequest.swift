package import Jansson

/// A question to the process that holds the key, as JSON.
///
/// ```json
/// {"version": 1, "project_id": "my-project", "type": "custom_token",
///  "uid": "yahoo.com:UQ…", "claims": {"idp": "yahoo.com"}, "lifetime": 300}
/// ```
///
/// The server sends what it wants to be said, never a text to sign: the other process decides about each member, and
/// takes issuer, audience and times from its own configuration and clock.
package struct SigningRequest: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case customToken(uid: String, claims: [String: JSON], tenantID: String?, lifetime: Int64)
        /// The JWT with which a hook is asked.
        case hookEvent(audience: String, id: String, event: JSON)
        /// The assertion with which Google issues an access token (RFC 7523).
        case accessTokenAssertion
        /// A signature that is made and dropped, for readiness.
        case check
    }

    package static let version: Int64 = 1

    /// The project that the server is configured for.
    package let projectID: String
    package let kind: Kind

    package init(projectID: String, kind: Kind) {
        self.projectID = projectID
        self.kind = kind
    }
}

extension SigningRequest.Kind {
    /// The word of the member `type`.
    package var name: String {
        switch self {
        case .customToken: "custom_token"
        case .hookEvent: "hook_event"
        case .accessTokenAssertion: "access_token_assertion"
        case .check: "check"
        }
    }
}

extension SigningRequest {
    package var json: JSON {
        var members: [String: JSON] = [
            "version": .integer(Self.version), "project_id": .string(projectID), "type": .string(kind.name),
        ]
        switch kind {
        case .customToken(let uid, let claims, let tenantID, let lifetime):
            members["uid"] = .string(uid)
            members["claims"] = .object(claims)
            members["tenant_id"] = tenantID.map(JSON.string)
            members["lifetime"] = .integer(lifetime)
        case .hookEvent(let audience, let id, let event):
            members["audience"] = .string(audience)
            members["jti"] = .string(id)
            members["event"] = event
        case .accessTokenAssertion, .check: break
        }
        return .object(members)
    }

    /// Reads a question, and refuses a member that its type does not have.
    ///
    /// - Parameter bytes: The JSON text.
    /// - Returns: The question, whose values are not checked.
    /// - Throws: ``SignerRefusal/malformed`` or ``SignerRefusal/unsupportedVersion``.
    package static func parse(_ bytes: [UInt8]) throws(SignerRefusal) -> Self {
        guard let content = try? JSON.parse(bytes), let members = content.object else { throw .malformed }
        guard let version = content["version"]?.integer else { throw .malformed }
        guard version == Self.version else { throw .unsupportedVersion }
        guard let projectID = content["project_id"]?.string, let type = content["type"]?.string,
            let kind = kind(type, content), let allowed = names[type], allowed.isSuperset(of: members.keys)
        else { throw .malformed }
        return Self(projectID: projectID, kind: kind)
    }

    private static let envelope: Set = ["version", "project_id", "type"]
    private static let names: [String: Set<String>] = [
        "custom_token": envelope.union(["uid", "claims", "tenant_id", "lifetime"]),
        "hook_event": envelope.union(["audience", "jti", "event"]),
        "access_token_assertion": envelope, "check": envelope,
    ]

    private static func kind(_ type: String, _ content: JSON) -> Kind? {
        switch type {
        case "custom_token":
            guard let uid = content["uid"]?.string, let claims = content["claims"]?.object,
                let lifetime = content["lifetime"]?.integer,
                content["tenant_id"] == nil || content["tenant_id"]?.string != nil
            else { return nil }
            return .customToken(
                uid: uid, claims: claims, tenantID: content["tenant_id"]?.string, lifetime: lifetime)
        case "hook_event":
            guard let audience = content["audience"]?.string, let id = content["jti"]?.string,
                let event = content["event"], event.object != nil
            else { return nil }
            return .hookEvent(audience: audience, id: id, event: event)
        case "access_token_assertion": return .accessTokenAssertion
        case "check": return .check
        default: return nil
        }
    }
}
