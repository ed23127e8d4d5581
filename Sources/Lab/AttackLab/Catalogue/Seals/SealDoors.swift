internal import Jansson

/// Every parameter of the API that could take a sealed text.
struct SealDoors: Sendable {
    let context: AttackContext
    /// The attacker's own bearer token; `nil` if accounts are disabled.
    let bearer: String?
    let forger: SealForger

    /// Returns API requests, each with `text` in another member.
    func requests(with text: String) -> [Request] {
        direct(text) + accounts(text) + token(text)
    }

    /// Returns browser requests, to which the server responds with pages and redirects.
    func visits(with text: String) -> [Request] {
        let application = context.lab.application
        let uris = ["urn:ietf:params:oauth:request_uri:\(text)", text]
        let answers = [
            "code=made-up&state=\(forger.state)", "oauth_token=\(forger.state)&oauth_verifier=made-up",
        ]
        let flow = "\(forger.cookieName)=\(text)"
        return uris.map { uri in
            .get("/authorize?" + PercentEncoding.form([("client_id", application.clientID), ("request_uri", uri)]))
        }
            + answers.map { .get("/callback/\(application.provider)?\($0)").with("Cookie", flow) }
            + [
                .form("/authorize", [("flow", forger.state), ("provider", application.provider)])
                    .with("Cookie", flow),
                .form("/authorize", [("flow", text), ("provider", application.provider)]),
                .form("/device", [("flow", text), ("user_code", "BCDF-GHJK")]).with("Cookie", "device=\(text)"),
                .form("/device", [("flow", text), ("decision", "approve")]).with("Cookie", "device=\(text)"),
            ]
    }

    private var credentials: [(String) -> JSON] {
        let callback = "\(forger.redirectURI)?code=made-up&state=\(forger.state)"
        return [
            { .pending($0) },
            { ["type": "callback", "session": .string($0), "callback_url": .string(callback)] },
            { .idToken($0, nonce: $0) },
            { ["type": "access_token", "access_token": "made-up", "nonce": .string($0)] },
            {
                [
                    "type": "authorization_code", "code": .string($0), "redirect_uri": .string(forger.redirectURI),
                    "nonce": .string($0),
                ]
            },
        ]
    }

    private func direct(_ text: String) -> [Request] { credentials.map { context.exchange($0(text)) } }

    private func accounts(_ text: String) -> [Request] {
        let handoff: JSON = [
            "type": "handoff", "code": .string(text), "redirect_uri": .string(context.lab.application.redirectURI),
            "code_verifier": .string(AttackContext.plainVerifier),
        ]
        return credentials.flatMap { [context.link(bearer, $0(text)), context.reauthenticate(bearer, $0(text))] } + [
            context.link(bearer, handoff), context.reauthenticate(bearer, handoff),
            context.merge(bearer, ["pending_credential": .string(text)]),
            context.merge(bearer, ["from_id_token": .string(text)]),
            context.account(text), context.deleteAccount(text),
            context.merge(text, ["pending_credential": .string(text)]),
        ]
    }

    private func token(_ text: String) -> [Request] {
        let application = context.lab.application
        let grants: [[(String, String)]] = [
            [
                ("grant_type", "authorization_code"), ("code", text), ("redirect_uri", application.redirectURI),
                ("code_verifier", AttackContext.plainVerifier),
            ],
            [("grant_type", AttackContext.deviceGrant), ("device_code", text)],
        ]
        let subjects = ["id_token", "jwt", "access_token"].map { type in
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", text),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:\(type)"),
                ("subject_issuer", application.provider), ("nonce", text),
            ]
        }
        return (grants + subjects).map { .form("/token", $0 + [("client_id", application.clientID)]) }
    }
}
