import Flows
import Jansson
import Support
import Testing
import Transport

/// `X-Firebase-AppCheck` (http-api, "Headers").
@Suite("App Check", .serialized, .timeLimit(.minutes(5)))
struct AppCheckTests {
    private static let field = "X-Firebase-AppCheck"
    private static let required = Plan.with { $0.appCheck = .required(apps: []) }

    static func header(_ token: String) -> [HeaderField] { [HeaderField(field, token)] }

    /// Every request that names its client, with a valid body.
    private static func calls(_ server: TestServer, _ person: Person) async throws -> [(String, JSON)] {
        [
            ("/v1/exchange", Bodies.inventedCode), ("/v1/signin", Bodies.signIn), ("/v1/nonce", Bodies.nonce),
            ("/v1/anonymous", ["client_id": "my-app"]), ("/v1/account/link", Bodies.inventedCode),
            ("/v1/account/link", LinkFlowTests.handoff("c")), ("/v1/account/reauthenticate", Bodies.inventedCode),
            ("/v1/account/unlink", ["client_id": "my-app", "provider": "yahoo.com"]),
            ("/v1/account/merge", ["client_id": "my-app", "from_id_token": "a.b.c"]),
            ("/v1/account/signout", ["client_id": "my-app"]),
            // Requests without a client follow the rule of the least strict client.
            ("/v1/account/unlink", ["provider": "yahoo.com"]), ("/v1/account/signout", [:]),
        ]
    }

    @Test("If App Check is required, no call of /v1 succeeds without it")
    func required() async throws {
        try await TestServer.open(Self.required) { server in
            let person = try await server.person("u1")
            let token = try await server.standIns.appCheckToken()
            for (path, body) in try await Self.calls(server, person) {
                try expectRefusal(try await person.post(path, body), "app_check_required")
                try expectRefusal(
                    try await person.post(path, body, header: Self.header("a.b.c")), "app_check_invalid")
                let response = try await person.post(path, body, header: Self.header(token))
                #expect(response.reason?.hasPrefix("app_check") != true, "\(path): \(response.text)")
            }
            for method in ["GET", "DELETE"] {
                for path in ["/v1/account", "/v1/account?client_id=my-app"] {
                    try expectRefusal(try await person.ask(method, path), "app_check_required")
                }
            }
            let response = try await person.ask("GET", "/v1/account", header: ["\(Self.field): \(token)"])
            #expect(response?.status == 200)
        }
    }

    @Test(
        "The placeholder of an SDK without a token, and a debug token, are named",
        arguments: [
            ("eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ==", "The App Check SDK could get no token and sent its placeholder."),
            ("123A4567-B89C-12D3-E456-789012345678", "This is a debug token of App Check."),
            ("Bearer eyJ.e30.AA", "The token itself begins with the word Bearer. Send it without that word."),
            ("undefined", "The token is what a program writes for a missing value, such as undefined or null."),
            ("a.b.c", "The App Check token has expired, or is of another Firebase project than this server."),
        ])
    func mistakes(token: String, description: String) async throws {
        try await TestServer.open(Self.required) { server in
            let response = try await server.post("/v1/nonce", Bodies.nonce, header: Self.header(token))
            try expectRefusal(response, "app_check_invalid")
            #expect(response.json?["error_description"]?.string?.hasPrefix(description) == true)
        }
    }

    @Test("At /token it is a 400 of the same reason, and nothing is spent")
    func tokenEndpoint() async throws {
        try await TestServer.open(Self.required) { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            for form in [server.handoff(code), try await server.subject(), server.device("d")] {
                try expectNoToken(try await server.form("/token", form), "access_denied", "app_check_required")
                try expectNoToken(
                    try await server.form("/token", form, header: Self.header("a.b.c")), "access_denied",
                    "app_check_invalid")
            }
            let token = try await server.standIns.appCheckToken()
            expectToken(try await server.form("/token", server.handoff(code), header: Self.header(token)))
        }
    }

    @Test("A device grant does not begin without it, if the client of the device requires it")
    func device() async throws {
        try await TestServer.open(Self.required) { server in
            let form = ["client_id": "living-room-tv"]
            try expectRefusal(try await server.form("/device_authorization", form), "app_check_required")
            try expectRefusal(
                try await server.form("/device_authorization", form, header: Self.header("a.b.c")), "app_check_invalid")
            let token = try await server.standIns.appCheckToken()
            let begun = try await server.form("/device_authorization", form, header: Self.header(token))
            #expect(begun.status == 200, "\(begun.text)")
            try expectRefusal(try await server.form("/device_authorization", [:]), "missing_field")
        }
    }

    @Test(
        "A token that is not of this project, of its key or of its time is invalid",
        arguments: [
            ["project_id": "another"], ["key": "foreign"], ["key": "none"], ["key": "hs256"],
            ["issued_seconds_ago": 3660], ["issued_seconds_ago": -61], ["header_remove": ["kid"]],
            ["header_remove": ["typ"]], ["set": ["iss": "https://firebaseappcheck.googleapis.com/"]],
            ["set": ["iss": "https://evil.example/123456789012"]], ["set": ["aud": "projects/sandbox"]],
            ["set": ["aud": []]], ["remove": ["exp"]], ["set": ["sub": ""]],
        ] as [JSON])
    func invalid(order: JSON) async throws {
        try await TestServer.open(Self.required) { server in
            let token = try await server.standIns.appCheckToken("1:1:web:a", order)
            try expectRefusal(
                try await server.post("/v1/nonce", Bodies.nonce, header: Self.header(token)), "app_check_invalid")
        }
    }

    @Test("Two tokens are none, and a token of the person is no token of the application")
    func others() async throws {
        try await TestServer.open(Self.required) { server in
            let token = try await server.standIns.appCheckToken()
            try expectRefusal(
                try await server.raw(
                    TestServer.request(header: [
                        "Content-Type: application/json", "\(Self.field): \(token)", "\(Self.field): \(token)",
                    ])), "app_check_required")
            let person = try await server.person("u1")
            try expectRefusal(
                try await server.post("/v1/nonce", Bodies.nonce, header: Self.header(person.idToken)),
                "app_check_invalid")
        }
    }
}

extension TestServer {
    fileprivate func subject() async throws -> [String: String] {
        [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "my-app",
            "subject_token": "a.b.c", "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "subject_issuer": "yahoo.com", "nonce": "n",
        ]
    }

    fileprivate func device(_ code: String) -> [String: String] {
        [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "living-room-tv",
            "device_code": code,
        ]
    }
}

@Suite("Rules of App Check", .serialized, .timeLimit(.minutes(5)))
struct AppCheckRuleTests {
    private static let required = Plan.with { $0.appCheck = .required(apps: []) }
    private static let ours = Plan.with { $0.appCheck = .required(apps: ["1:1:web:a"]) }

    @Test("If applications are named, only these may call")
    func applications() async throws {
        try await TestServer.open(Self.ours) { server in
            for (app, status) in [("1:1:web:a", 200), ("1:1:web:b", 403), ("1:1:web:A", 403), ("1:1:web", 403)] {
                let token = try await server.standIns.appCheckToken(app)
                let response = try await server.post("/v1/nonce", Bodies.nonce, header: AppCheckTests.header(token))
                #expect(response.status == status, "\(app)")
            }
        }
    }

    @Test("If failures are only logged, every request passes, and the audit trail contains the failure")
    func logged() async throws {
        let trail = Trail()
        try await TestServer.open(
            .with {
                $0.appCheck = .log(apps: ["1:1:web:a"])
                $0.audit = trail.audit
            }
        ) { server in
            let good = try await server.standIns.appCheckToken()
            let other = try await server.standIns.appCheckToken("1:1:web:b")
            for header in [[], AppCheckTests.header("a.b.c"), AppCheckTests.header(other), AppCheckTests.header(good)] {
                let response = try await server.post("/v1/anonymous", ["client_id": "my-app"], header: header)
                #expect(response.status == 200)
            }
        }
        #expect(trail.lines.map { $0["app_check"]?.string } == ["missing", "invalid", "invalid", nil])
    }

    @Test("If it is off, the token is not checked, and Google's keys are not fetched")
    func off() async throws {
        try await TestServer.open { server in
            let response = try await server.post("/v1/nonce", Bodies.nonce, header: AppCheckTests.header("a.b.c"))
            #expect(response.status == 200)
            #expect(try await server.standIns.calls(of: "google.app_check_keys") == 0)
        }
    }

    @Test("Without Google's keys every request is refused")
    func keysAreDown() async throws {
        try await TestServer.open(Self.required) { server in
            let token = try await server.standIns.appCheckToken()
            try await server.standIns.fault("google.app_check_keys", ["status": 500, "body": "down"], times: 100)
            let response = try await server.post("/v1/nonce", Bodies.nonce, header: AppCheckTests.header(token))
            #expect(response.status >= 400, "\(response.text)")
            #expect(response.json?["nonce"] == nil)
        }
    }
}
