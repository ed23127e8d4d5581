import Flows
import JOSE
import Jansson
import Standards
import Stores
import Support
import Testing
import Transport

/// An attacker with the seal key only: no store key, no database and no provider account of a user.
@Suite("The power of the seal key", .serialized, .timeLimit(.minutes(10)))
struct SealKeyForgeryTests {
    private static let handle = "forged-handle"
    private static let browser = "forged-browser"

    /// The context to which a value of the kind is bound.
    ///
    /// The switch is exhaustive, so that a new kind does not compile until it is added here.
    private static func holder(_ kind: SealedKind) -> String {
        switch kind {
        case .nonce, .session, .confirmation, .pushedRequest: "my-app"
        case .providerNonce: ""
        case .flow: FlowCookie.name(of: handle)
        case .browser: DeviceSignIn.browserCookie
        case .deviceForm: browser
        }
    }

    /// Whatever any reader of any kind looks for, with a purpose and an account; and the identity of a person, as if
    /// one of them took it.
    private static func content(
        _ kind: SealedKind, _ variant: Variant, userCode: String, at now: NumericDate
    ) -> JSON {
        let victim = String(TestServer.alice.dropFirst("yahoo.com:".count))
        let identity: [String: JSON] = [
            "provider": "yahoo.com", "subject": .string(victim), "audience_proof": "authorization_code",
            "profile": ["email": "alice@example.com", "email_verified": true], "auth_time": .integer(now.seconds),
        ]
        let binding: JSON = ["state": .string(handle), "nonce": "n", "code_verifier": .string(BrowserRequest.verifier)]
        var members = identity.merging([
            "id": .string("\(kind) \(variant)"), "exp": .integer(now.seconds + 300), "binding": binding,
            "state": .string(handle), "nonce": "n", "code_verifier": .string(BrowserRequest.verifier),
            "redirect_uri": "com.example.app:/yahoo", "client_id": "my-app", "flow": "oidc", "query": "x=y",
            "refusal": "error=access_denied", "account": ["guest": false, "uid_end": "abcdef", "person": "Alice"],
            "identity": .object(identity), "provoked_by": .string(variant.uid), "meeting": [.string(variant.uid)],
            "user_code": .string(userCode), "browser": .string(browser), "step": .string(variant.step),
            "payload": .string(Base64URL.encode([UInt8](repeating: 1, count: 32))), "person": "Alice",
        ]) { first, _ in first }
        let intent: JSON? = variant.purpose.map { ["purpose": .string($0), "uid": .string(variant.uid)] }
        var request: JSON = [
            "client_id": "my-app", "redirect_uri": .string(BrowserRequest.redirectURI),
            "code_challenge": .string(BrowserRequest.challenge), "scope": [], "parameters": .object([:]),
            "provider": "yahoo.com", "account": ["guest": false, "uid_end": "abcdef", "person": "Alice"],
        ]
        if let intent { request = request.setting("intent", to: intent) }
        members["intent"] = kind == .confirmation ? .string(variant.purpose ?? "link") : intent
        if kind != .flow || variant.step != "confirm" { members["request"] = request }
        return .object(members)
    }

    private struct Variant: CustomStringConvertible {
        let purpose: String?
        let uid: String
        let step: String
        var description: String { "\(purpose ?? "sign in") \(uid) \(step)" }
    }

    @Test(
        "No value that the seal key seals, of any kind, at any endpoint, results in a token or a link",
        arguments: SealedKind.allCases)
    func forge(_ kind: SealedKind) async throws {
        try await TestServer.open { server in
            let (alice, mallory) = (try await server.atYahoo(), try await server.atX("mallory"))
            let device = try await server.beginDevice()
            let seal = Seal(keys: [try #require(SealKey(ServerParts.sealKey))])
            let variants = [
                Variant(purpose: nil, uid: mallory.uid, step: "enter_code"),
                Variant(purpose: "link", uid: mallory.uid, step: "confirm"),
                Variant(purpose: "link", uid: alice.uid, step: "approve"),
                Variant(purpose: "reauthenticate", uid: mallory.uid, step: "approve"),
                Variant(purpose: "reauthenticate", uid: alice.uid, step: "confirm"),
            ]
            for variant in variants {
                let forged = try seal.seal(
                    Self.content(kind, variant, userCode: device.userCode, at: server.clock.now), as: kind,
                    for: Self.holder(kind))
                #expect(seal.open(forged, as: kind, for: Self.holder(kind)) != nil)
                let cookie = try seal.seal(
                    ["id": .string(Self.browser)], as: .browser, for: DeviceSignIn.browserCookie)
                for (place, response) in try await Self.responses(to: forged, cookie, mallory, device) {
                    let name = Comment(rawValue: "\(kind), \(variant), \(place): \(response.status) \(response.text)")
                    let json = response.json
                    for member in ["custom_token", "access_token", "account", "merged_uid", "firebase_id_token"] {
                        #expect(json?[member] == nil, name)
                    }
                    #expect(response.told["code"] == nil, name)
                    #expect(response.json == nil || response.status >= 400, name)
                }
            }
            #expect(try await mallory.providers() == ["twitter.com"])
            #expect(try await alice.providers() == ["yahoo.com"])
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
        }
    }

    /// The responses of every endpoint that takes a sealed value or a handle.
    private static func responses(
        to forged: String, _ cookie: String, _ mallory: Person, _ device: Device
    ) async throws -> [(String, OutboundResponse)] {
        let server = mallory.server
        let credentials: [(String, String, JSON)] = [
            ("pending", "yahoo.com", ["type": "pending", "pending_credential": .string(forged)]),
            (
                "callback", "yahoo.com",
                [
                    "type": "callback", "session": .string(forged),
                    "callback_url": .string("com.example.app:/yahoo?code=made-up&state=" + handle),
                ]
            ),
            ("id_token", "yahoo.com", ["type": "id_token", "id_token": "a.b.c", "nonce": .string(forged)]),
            (
                "oauth1_token", "twitter.com",
                ["type": "oauth1_token", "oauth_token": "t", "oauth_token_secret": "s", "nonce": .string(forged)]
            ),
        ]
        var responses: [(String, OutboundResponse)] = []
        for (type, provider, credential) in credentials {
            let body = Bodies.exchange(provider, credential)
            responses.append(("exchange \(type)", try await server.exchange(body)))
            responses.append(("link \(type)", try await mallory.link(body)))
            responses.append(("reauthenticate \(type)", try await mallory.reauthenticate(body)))
        }
        responses.append(("link handoff", try await mallory.link(LinkFlowTests.handoff(forged))))
        responses.append(("merge pending", try await mallory.merge("pending_credential", forged)))
        responses.append(("merge token", try await mallory.merge("from_id_token", forged)))
        responses.append(("token code", try await server.redeem(forged)))
        responses.append(("token device", try await device.poll(after: 60, ["device_code": forged])))
        responses.append(
            (
                "token exchange",
                try await server.form(
                    "/token", try await server.subjectToken().changing(["subject_token": forged, "nonce": forged]))
            ))
        let host = "__Host-"
        var browser = TestBrowser(server)
        browser.cookies = [
            (host + FlowCookie.name(of: handle), forged), (host + DeviceSignIn.browserCookie, cookie),
        ]
        let opened = try await browser.get(
            "/authorize?"
                + Form.encoded([
                    "client_id": "my-app", "request_uri": "urn:ietf:params:oauth:request_uri:" + forged,
                ]))
        responses.append(("authorize", opened))
        if let flow = opened.hiddenFlow {
            responses.append(
                ("its button", try await browser.post("/authorize", ["flow": flow, "provider": "yahoo.com"])))
        }
        var another = browser
        responses.append(
            ("button", try await another.post("/authorize", ["flow": handle, "provider": "yahoo.com"])))
        another = browser
        responses.append(("callback", try await another.get("/callback/yahoo.com?code=made-up&state=" + handle)))
        for fields in [
            ["decision": "approve"], ["provider": "yahoo.com"], ["user_code": device.userCode],
        ] {
            another = browser
            responses.append(
                ("device \(fields)", try await another.post("/device", ["flow": forged].changing(fields))))
        }
        browser.cookies = [(host + DeviceSignIn.browserCookie, forged)]
        responses.append(("device browser", try await browser.get("/device")))
        return responses
    }

    @Test("Control: a session that the right key forges reaches the provider, which does not know its code")
    func reach() async throws {
        try await TestServer.open { server in
            let seal = Seal(keys: [try #require(SealKey(ServerParts.sealKey))])
            let content = Self.content(
                .session, Variant(purpose: nil, uid: "", step: ""), userCode: "", at: server.clock.now)
            let body = Bodies.exchange(
                "yahoo.com",
                [
                    "type": "callback",
                    "session": .string(try seal.seal(content, as: .session, for: Self.holder(.session))),
                    "callback_url": .string("com.example.app:/yahoo?code=made-up&state=" + Self.handle),
                ])
            try expectRefusal(try await server.exchange(body), "code_rejected")
        }
    }

    @Test("A store key that is the same secret is another key")
    func sameSecret() throws {
        let travelling = Seal(keys: [try #require(SealKey(ServerParts.sealKey))])
        let stored = StoreSeal(keys: [try #require(StoreKey(ServerParts.sealKey))])
        for kind in SealedKind.allCases {
            #expect(stored.open(try travelling.seal(["a": 1], as: kind, for: "x"), as: .identity, for: "x") == nil)
            #expect(travelling.open(try stored.seal(["a": 1], as: .identity, for: "x"), as: kind, for: "x") == nil)
        }
    }
}
