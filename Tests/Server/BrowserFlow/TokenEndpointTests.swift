import Jansson
import Standards
import Support
import Testing
import Transport

@Suite("The token endpoint", .serialized, .timeLimit(.minutes(5)))
struct TokenEndpointTests {
    private static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"

    @Test(
        "TX-10: an unsupported grant is refused, however similar it is to a supported one",
        arguments: [
            "password", "refresh_token", "client_credentials", "implicit", "Authorization_Code", "authorization_code ",
            " authorization_code", "authorization%5Fcode", "device_code", "token_exchange",
            "urn:ietf:params:oauth:grant-type:jwt-bearer", "urn:ietf:params:oauth:grant-type:Token-Exchange",
        ])
    func grantType(_ name: String) async throws {
        try await TestServer.open { server in
            try expectNoToken(
                try await server.redeem("c", ["grant_type": name]), "unsupported_grant_type", "unsupported_grant_type")
        }
    }

    @Test(
        "A parameter that a grant needs is missing",
        arguments: [
            ["grant_type": nil], ["client_id": nil], ["code": nil], ["redirect_uri": nil], ["code": ""],
        ] as [[String: String?]])
    func missing(_ changes: [String: String?]) async throws {
        try await TestServer.open { server in
            try expectNoToken(try await server.redeem("c", changes), "invalid_request", "missing_field")
        }
    }

    @Test("A device code, a subject token, its type and its issuer are needed by their grants")
    func missingOfOthers() async throws {
        try await TestServer.open { server in
            try expectNoToken(
                try await server.form("/token", ["grant_type": Self.deviceCode, "client_id": "my-app"]),
                "invalid_request", "missing_field")
            let whole = [
                "grant_type": Self.tokenExchange, "client_id": "my-app", "subject_token": "a.b.c",
                "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "subject_issuer": "yahoo.com",
            ]
            for name in ["subject_token", "subject_token_type", "subject_issuer"] {
                try expectNoToken(
                    try await server.form("/token", whole.changing([name: nil])), "invalid_request", "missing_field")
            }
        }
    }

    @Test("TX-10: a repeated parameter is refused, in any spelling")
    func repeated() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let body = Form.encoded(server.handoff(try await browser.signIn()))
            for further in ["grant_type=password", "grant%5Ftype=authorization_code", "code=x", "unknown=1&unknown=2"] {
                let response = try await server.post(
                    "/token", text: body + "&" + further, type: "application/x-www-form-urlencoded")
                try expectRefusal(response, "duplicate_parameter")
            }
            let response = try await server.post("/token", text: body, type: "application/x-www-form-urlencoded")
            expectToken(response)
        }
    }

    @Test("An unknown parameter is ignored (RFC 6749 §3.2)")
    func unknown() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            expectToken(try await server.redeem(try await browser.signIn(), ["colour": "red", "scope": "admin"]))
        }
    }

    /// The value of `Authorization` for HTTP Basic authentication.
    private static func basic(_ credentials: String) -> String {
        "Basic " + Base64.encode(Array(credentials.utf8))
    }

    @Test("A client may send its id as the user name of Basic, with an empty password (RFC 6749 §2.3.1)")
    func publicClientWithBasic() async throws {
        try await TestServer.open { server in
            for credentials in ["my-app:", "my%2Dapp:"] {
                for clientID in [nil, "my-app"] {
                    var browser = TestBrowser(server)
                    let code = try await browser.signIn()
                    let response = try await server.form(
                        "/token", server.handoff(code, ["client_id": clientID]),
                        header: [HeaderField("Authorization", Self.basic(credentials))])
                    expectToken(response)
                }
            }
            let device = try await server.form(
                "/device_authorization", [:], header: [HeaderField("Authorization", Self.basic("my-app:"))])
            #expect(device.status == 200, "\(device.text)")
        }
    }

    @Test("TX-11: client authentication in the header is refused with WWW-Authenticate (RFC 6749 §5.2)")
    func authorizationField() async throws {
        try await TestServer.open { server in
            for value in [
                Self.basic("my-app:secret"), Self.basic("my-app"), Self.basic(":"), Self.basic("my%app:"),
                Self.basic("other-app:"), Self.basic("MY-APP:"), "Basic bXktYXBwOg", "Basic", "Digest x", "x",
            ] {
                let response = try await server.form(
                    "/token", server.handoff("c"), header: [HeaderField("Authorization", value)])
                try expectRefusal(response, "unknown_client")
                #expect(response[field: "WWW-Authenticate"] == "Basic realm=\"token-exchange\"")
            }
        }
    }

    @Test(
        "A bearer token, which the HTTP library of an application adds to every request, identifies no client and is not read",
        arguments: ["Bearer eyJ.stale.x", "bearer x", "Bearer"])
    func bearer(field: String) async throws {
        try await TestServer.open { server in
            let header = [HeaderField("Authorization", field)]
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            expectToken(try await server.form("/token", server.handoff(code), header: header))
            try expectRefusal(
                try await server.form(
                    "/token", server.handoff("c", ["client_id": nil]), header: header + [HeaderField("Accept", "*/*")]),
                "missing_field")
            let both = header + [HeaderField("Authorization", Self.basic("my-app:secret"))]
            try expectRefusal(try await server.form("/token", server.handoff("c"), header: both), "unknown_client")
        }
    }

    @Test("TX-11: a client secret or assertion is refused, since it would not be checked")
    func clientSecret() async throws {
        try await TestServer.open { server in
            for name in ["client_secret", "client_assertion"] {
                for path in ["/token", "/par", "/device_authorization"] {
                    let response = try await server.form(path, server.handoff("c", [name: "s"]))
                    try expectRefusal(response, "unknown_client")
                    #expect(response[field: "WWW-Authenticate"] == nil)
                }
            }
        }
    }

    @Test("An unknown client gets 401 invalid_client, with every grant")
    func unknownClient() async throws {
        try await TestServer.open { server in
            try expectRefusal(try await server.redeem("c", ["client_id": "nobody"]), "unknown_client")
            try expectRefusal(
                try await server.form(
                    "/token", ["grant_type": Self.deviceCode, "client_id": "MY-APP", "device_code": "d"]),
                "unknown_client")
        }
    }

    @Test("A grant that the client's configuration does not list is unauthorized_client", arguments: GrantType.allCases)
    func unauthorizedClient(_ grant: GrantType) async throws {
        try await TestServer.open(.grants(Set(GrantType.allCases).subtracting([grant]))) { server in
            let response =
                switch grant {
                case .authorizationCode: try await server.redeem("c")
                case .deviceCode:
                    try await server.form(
                        "/token", ["grant_type": Self.deviceCode, "client_id": "my-app", "device_code": "d"])
                case .tokenExchange: try await server.form("/token", try await server.subjectToken())
                }
            try expectNoToken(response, "unauthorized_client", "unauthorized_client")
        }
    }

    @Test("TX-14: a body of another type, and parameters in the link, are refused")
    func otherForm() async throws {
        try await TestServer.open { server in
            let fields = server.handoff("c")
            for type in [
                "application/json", "text/plain", "multipart/form-data", "",
                "application/x-www-form-urlencoded; charset=latin1",
            ] {
                try expectRefusal(
                    try await server.post("/token", text: Form.encoded(fields), type: type), "unsupported_media_type")
            }
            for query in ["?client_id=my-app", "?" + Form.encoded(fields), "?"] {
                try expectRefusal(try await server.form("/token" + query, fields), "malformed_body")
            }
            for body in ["code=%zz", "code=a%00b", "\u{1}"] {
                try expectRefusal(
                    try await server.post("/token", text: body, type: "application/x-www-form-urlencoded"),
                    "malformed_body")
            }
            try expectRefusal(
                try await server.post(
                    "/token", text: String(repeating: "a", count: 65537), type: "application/x-www-form-urlencoded"),
                "body_too_large")
        }
    }

    @Test(
        "The description names the media type that came, if it is a common one, and the one that is read",
        arguments: [
            ("application/json", "has the media type application/json"),
            ("multipart/form-data; boundary=x", "has the media type multipart/form-data"),
            ("image/png", "has the wrong media type"), ("", "has the wrong media type"),
            (
                "application/x-www-form-urlencoded; charset=utf-16",
                "has a media type with another parameter than charset=utf-8"
            ),
        ])
    func mediaType(type: String, problem: String) async throws {
        try await TestServer.open { server in
            let response = try await server.post("/token", text: Form.encoded(server.handoff("c")), type: type)
            #expect(
                response.json?["error_description"]?.string
                    == "The body \(problem). Send Content-Type: application/x-www-form-urlencoded in UTF-8, uncompressed."
            )
        }
    }

    @Test("The log has the part of a media type, or the encoding, that is not read")
    func mediaTypeFinding() async throws {
        try await TestServer.open { server in
            let form = "application/x-www-form-urlencoded"
            _ = try await server.post("/token", text: "a=b", type: form + ";charset=utf-16")
            #expect(
                server.log.text.contains(
                    "Content-Type has another parameter than charset=utf-8, and this endpoint reads \(form) only with that or without "
                        + "one"))
            _ = try await server.raw(
                TestServer.request(
                    "POST /token HTTP/1.1", header: ["Content-Type: \(form)", "Content-Encoding: gzip"]))
            #expect(server.log.text.contains("the request has Content-Encoding, and this endpoint reads no "))
        }
    }

    @Test("The refusal of a requested token type names the one that there is")
    func requestedTokenType() async throws {
        try await TestServer.open { server in
            let type = "urn:ietf:params:oauth:token-type:access_token"
            let response = try await server.form(
                "/token", try await server.subjectToken().changing(["requested_token_type": type]))
            try expectRefusal(response, "malformed_body")
            #expect(
                response.json?["error_description"]?.string
                    == "This server issues no token of this requested_token_type. Omit the parameter, or send "
                    + "urn:ietf:params:oauth:token-type:jwt.")
        }
    }

    @Test("The refusal of a subject token type names those that there are")
    func subjectTokenType() async throws {
        try await TestServer.open { server in
            let type = "urn:ietf:params:oauth:token-type:jwt"
            let response = try await server.form(
                "/token", try await server.subjectToken().changing(["subject_token_type": type]))
            try expectRefusal(response, "unknown_credential_type")
            #expect(
                response.json?["error_description"]?.string
                    == "This subject_token_type is not supported. Send urn:ietf:params:oauth:token-type:id_token with an ID token, "
                    + "or urn:ietf:params:oauth:token-type:access_token with an access token.")
        }
    }

    @Test("A provider that is switched off for the client is 400 here, and says so by its reason")
    func forbidden() async throws {
        try await TestServer.open { server in
            try expectNoToken(
                try await server.form("/token", try await server.subjectToken().changing(["client_id": "x-only"])),
                "access_denied", "provider_disabled")
        }
    }

    @Test("HEAD and OPTIONS get nothing from it; a preflight of an application's origin is answered")
    func methods() async throws {
        try await TestServer.open { server in
            for path in ["/token", "/par", "/device_authorization"] {
                for method in ["HEAD", "GET", "PUT", "DELETE", "OPTIONS"] {
                    let response = try await server.raw(
                        TestServer.request("\(method) \(path) HTTP/1.1", header: ["Connection: close"], body: ""))
                    #expect(response?.status == 405)
                    #expect(response?[field: "Allow"] == "POST")
                }
                let preflight = try await server.raw(
                    TestServer.request(
                        "OPTIONS \(path) HTTP/1.1",
                        header: [
                            "Origin: \(Registrations.origin)", "Access-Control-Request-Method: POST",
                            "Connection: close",
                        ], body: ""))
                #expect(preflight?.status == 204)
                #expect(preflight?[field: "Access-Control-Allow-Origin"] == Registrations.origin)
            }
        }
    }
}
