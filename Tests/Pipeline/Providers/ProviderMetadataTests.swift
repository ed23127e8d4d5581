import JOSE
import Standards
import Testing

@testable import Providers

@Suite("Discovery documents (OpenID Connect Discovery §3, §4.3)")
struct ProviderMetadataTests {
    private static let issuer = "https://op.example"

    private static func parse(tokenEndpoint: String) throws -> OpenIDConnectEndpoints {
        let document = """
            {"issuer":"https://op.example","authorization_endpoint":"https://op.example/a",
             "token_endpoint":"\(tokenEndpoint)","userinfo_endpoint":"https://op.example/u",
             "jwks_uri":"https://op.example/k"}
            """
        return try ProviderMetadata.parse(
            Array(document.utf8), issuer: issuer, overrides: EndpointOverrides())
    }

    @Test(
        "An endpoint on the issuer's host, or on a subdomain, is accepted",
        arguments: ["op.example", "login.op.example", "op.example:443", "OP.example:443"])
    func own(host: String) throws {
        #expect(try Self.parse(tokenEndpoint: "https://\(host)/t").token == "https://\(host)/t")
    }

    private static func parse(_ member: String, _ url: String, plainHTTPHosts: [String]) throws
        -> OpenIDConnectEndpoints
    {
        var members = [
            "issuer": issuer, "authorization_endpoint": "https://op.example/a",
            "token_endpoint": "https://op.example/t",
            "userinfo_endpoint": "https://op.example/u", "jwks_uri": "https://op.example/k",
        ]
        members[member] = url
        let document = "{" + members.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        return try ProviderMetadata.parse(
            Array(document.utf8), issuer: issuer, overrides: EndpointOverrides(), plainHTTPHosts: plainHTTPHosts)
    }

    @Test("An endpoint of the back channel may name a permitted host with http, on any port")
    func plainHTTP() throws {
        let hosts = ["keycloak", "[fd00::7]"]
        let url = "http://keycloak:8080/t"
        #expect(try Self.parse("token_endpoint", url, plainHTTPHosts: hosts).token == url)
        #expect(try Self.parse("userinfo_endpoint", url, plainHTTPHosts: hosts).userInfo == url)
        #expect(try Self.parse("jwks_uri", url, plainHTTPHosts: hosts).jwks == url)
        #expect(try Self.parse("revocation_endpoint", url, plainHTTPHosts: hosts).revocation == url)
        #expect(
            try Self.parse("token_endpoint", "http://[fd00::7]:8080/t", plainHTTPHosts: hosts).token
                == "http://[fd00::7]:8080/t")
    }

    @Test(
        "No other host, and not the endpoint of the browser, may be named with http",
        arguments: [
            ("authorization_endpoint", "http://keycloak:8080/a"), ("token_endpoint", "http://other:8080/t"),
            ("token_endpoint", "http://keycloak.evil.example/t"), ("token_endpoint", "http://keycloak@evil.example/t"),
            ("token_endpoint", "https://keycloak/t"), ("jwks_uri", "ftp://keycloak/k"),
        ])
    func onlyPermitted(member: String, url: String) {
        do {
            _ = try Self.parse(member, url, plainHTTPHosts: ["keycloak"])
            Issue.record("The endpoint was accepted.")
        } catch DocumentError.unusableEndpoints(let endpoints, Self.issuer) {
            #expect(endpoints.count == 1 && endpoints.keys.allSatisfy { member.hasPrefix($0) })
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(
        "JW-09: an endpoint on another host is refused, in every spelling of the host",
        arguments: [
            "https://evil.example/t", "http://op.example/t", "https://op.example.evil.example/t",
            "https://evilop.example/t", "https://evil.example#.op.example/t", "https://evil.example?.op.example/t",
            "https://op.example@evil.example/t", "https://evil.example\\\\.op.example/t",
            // A combining mark behind the slash; a number sign before it.
            "https://evil.example/\u{301}.op.example/t", "https://evil.example\u{600}/.op.example/t",
            "https://evil.example%2F.op.example/t", "https://\u{FF0E}op.example/t",
        ])
    func foreign(url: String) {
        do {
            _ = try Self.parse(tokenEndpoint: url)
            Issue.record("The endpoint was accepted.")
        } catch DocumentError.unusableEndpoints(let endpoints, Self.issuer) {
            #expect(Array(endpoints.keys) == ["token"])
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("Real-world 21: endpoints on another host are named, with the block to write")
    func elsewhere() throws {
        let document = #"""
            {"issuer":"https://idp.example/pool","authorization_endpoint":"https://my.auth.example/authorize",
             "token_endpoint":"https://my.auth.example/token","jwks_uri":"https://idp.example/pool/keys"}
            """#
        let expected = DocumentError.unusableEndpoints(
            ["authorization": "https://my.auth.example/authorize", "token": "https://my.auth.example/token"],
            issuer: "https://idp.example/pool")
        #expect(throws: expected) {
            try ProviderMetadata.parse(
                Array(document.utf8), issuer: "https://idp.example/pool", overrides: EndpointOverrides())
        }
        #expect(
            expected.advice
                == "If the provider's documentation has these URLs, write: endpoints: { authorization: "
                + "https://my.auth.example/authorize, token: https://my.auth.example/token }")
        #expect(
            expected.sentence.contains(
                "https://my.auth.example/token, and the issuer https://idp.example/pool has another host or port"
            ))
    }

    @Test("Endpoints without a scheme are no URLs, and the block to write has whole ones")
    func relative() {
        let error = DocumentError.unusableEndpoints(
            ["authorization": "op.example/authorize", "token": "/oauth/token", "jwks": "oauth/keys"],
            issuer: "https://op.example/tenant")
        #expect(
            error.sentence.contains(
                "its token endpoint is /oauth/token, which is not a URL: the provider must publish the whole one"))
        #expect(
            error.advice
                == "If the provider's documentation has these URLs, write: endpoints: { authorization: "
                + "https://op.example/authorize, jwks: https://op.example/oauth/keys, token: https://op.example/oauth/token }"
        )
    }

    @Test(
        "Endpoints with http of an issuer with https name the proxy setting of the provider, and are never to be written"
    )
    func plainEndpoints() {
        let error = DocumentError.unusableEndpoints(
            [
                "authorization": "http://idp.example/authorize", "token": "HTTP://idp.example/token",
                "jwks": "https://cdn.example/keys",
            ], issuer: "https://idp.example")
        #expect(
            error.sentence.contains(
                "its authorization endpoint is http://idp.example/authorize, and the issuer https://idp.example has another scheme"
            ))
        let advice = error.advice ?? ""
        #expect(advice.contains("X-Forwarded-Proto") && advice.contains("plain_http_hosts"))
        #expect(advice.hasSuffix("write: endpoints: { jwks: https://cdn.example/keys }"))
        #expect(!advice.lowercased().contains("http://"))
        let loopback = DocumentError.unusableEndpoints(
            ["token": "http://login.corp.example/token"], issuer: "http://127.0.0.1:8080")
        #expect(loopback.advice?.contains("endpoints: {") == false)
        // Only this server's calls may be plain, and the configuration accepts loopback without plain_http_hosts.
        let browser = DocumentError.unusableEndpoints(
            ["authorization": "http://idp.example/authorize"], issuer: "https://idp.example")
        #expect(browser.advice?.contains("plain_http_hosts") == false)
        let other = DocumentError.unusableEndpoints(
            ["token": "http://127.0.0.1:9000/token"], issuer: "http://127.0.0.1:8080")
        #expect(
            other.advice == "If the provider's documentation has these URLs, write: endpoints: { token: "
                + "http://127.0.0.1:9000/token }")
    }

    @Test("Endpoints with https at the host and port of an issuer with http are named with the URLs that have http")
    func secureEndpoints() {
        let error = DocumentError.unusableEndpoints(
            [
                "authorization": "https://127.0.0.1:8082/authorize", "token": "HTTPS://127.0.0.1:8082/token",
                "jwks": "https://cdn.example/keys",
            ], issuer: "http://127.0.0.1:8082")
        #expect(
            error.sentence
                == "its authorization endpoint is https://127.0.0.1:8082/authorize, and the issuer http://127.0.0.1:8082 has "
                + "another scheme; its jwks endpoint is https://cdn.example/keys, and the issuer http://127.0.0.1:8082 has "
                + "another scheme, host or port; its token endpoint is HTTPS://127.0.0.1:8082/token, and the issuer "
                + "http://127.0.0.1:8082 has another scheme")
        #expect(
            error.advice
                == "If the provider speaks no TLS at the host and port of the issuer, write: endpoints: { authorization: "
                + "http://127.0.0.1:8082/authorize, token: http://127.0.0.1:8082/token }, or correct, in its settings, its public "
                + "URL, or the X-Forwarded-Proto that it trusts. If it speaks TLS there, write issuer with https, which its "
                + "metadata has to name as well. If the provider's documentation has these URLs, write: endpoints: { jwks: "
                + "https://cdn.example/keys }")
    }

    @Test(
        "A document that is no metadata is told by what it is",
        arguments: [
            (
                #"{"authorization_endpoint":"https://op.example/a"}"#,
                DocumentError.unlikeMetadata("it names no issuer; its members are authorization_endpoint")
            ),
            (#"{"error":"Realm does not exist"}"#, .unlikeMetadata("it names no issuer; its members are error")),
            (#"{"issuer":["https://op.example"]}"#, .unlikeMetadata("it names no issuer")),
            (#"[{"issuer":"https://op.example"}]"#, .unlikeMetadata("it is a list in place of an object")),
            (" <!doctype html>", .unlikeMetadata("it is a page of HTML or XML")),
            ("issuer", .unlikeMetadata("it is of another form")), ("", .unlikeMetadata("it is empty")),
            (#"{"issuer":"#, .unlikeMetadata("it is JSON with an error, or with too many levels")),
        ])
    func noMetadata(_ document: String, _ error: DocumentError) {
        #expect(throws: error) {
            try ProviderMetadata.parse(Array(document.utf8), issuer: Self.issuer, overrides: EndpointOverrides())
        }
    }

    @Test(
        "Metadata without an address of keys names the algorithms of ID tokens that it has, and the advice each remedy",
        arguments: [
            (#","id_token_signing_alg_values_supported":["HS256","HS384","HS512"]"#, ["HS256", "HS384", "HS512"]),
            (#","id_token_signing_alg_values_supported":["none","HS256"]"#, ["none", "HS256"]),
            (#","id_token_signing_alg_values_supported":["HS256","RS256"]"#, ["HS256", "RS256"]),
            (#","id_token_signing_alg_values_supported":[]"#, []), (#","jwks_uri":null"#, []), ("", []),
        ] as [(String, [String])])
    func noPublicKeys(_ members: String, _ algorithms: [String]) {
        let expected = DocumentError.noPublicKeys(algorithms: algorithms)
        let document =
            #"{"issuer":"https://op.example","authorization_endpoint":"https://op.example/a","#
            + #""token_endpoint":"https://op.example/t"\#(members)}"#
        #expect(throws: expected) {
            try ProviderMetadata.parse(Array(document.utf8), issuer: Self.issuer, overrides: EndpointOverrides())
        }
        for remedy in ["choose RS256 or ES256", "protocol: oauth2", "endpoints: { jwks:"] {
            #expect(expected.advice?.contains(remedy) == true)
        }
        #expect(
            expected.sentence == "it names no jwks endpoint (jwks_uri)"
                + (algorithms.isEmpty ? "" : ", and as algorithms of ID tokens \(algorithms.joined(separator: ", "))"))
    }

    @Test("An endpoint that the metadata does not name is named")
    func missing() {
        #expect(
            throws: DocumentError.unusableEndpoints(
                ["authorization": nil, "token": nil, "jwks": nil], issuer: Self.issuer)
        ) {
            try ProviderMetadata.parse(
                Array(#"{"issuer":"https://op.example","token_endpoint":null,"authorization_endpoint":""}"#.utf8),
                issuer: Self.issuer,
                overrides: EndpointOverrides())
        }
    }

    @Test(
        "Real-world 23, 24: another issuer is refused, with both spellings",
        arguments: ["https://op.example/", "https://op.example/oauth", "https://OP.example", "http://op.example"])
    func otherIssuer(_ found: String) {
        let expected = DocumentError.otherIssuer(found: found, expected: Self.issuer)
        #expect(throws: expected) {
            try ProviderMetadata.parse(
                Array(#"{"issuer":"\#(found)"}"#.utf8), issuer: Self.issuer, overrides: EndpointOverrides())
        }
        #expect(expected.sentence == "the document names the issuer \(found), and the configuration https://op.example")
    }

    @Test(
        "The advice about another issuer never is to write one that no configuration can name",
        arguments: [
            ("acme.com", "in the provider's settings, set its issuer, or its public URL"),
            ("http://op.example", "let the provider trust X-Forwarded-Proto"),
            ("HTTP://op.example", "let the provider trust X-Forwarded-Proto"),
            ("https://op.example/", "Write issuer: https://op.example/ if"),
            ("http://127.0.0.1:9000", "Write issuer: http://127.0.0.1:9000 if"),
            ("https://sts.windows.net/{tenantid}/", "let issuer end with /v2.0"),
            ("https://sts.windows.net/d5fe733d-6d61-4060-a35c-27f589675587/", "let issuer end with /v2.0"),
            ("https://login.microsoftonline.com/{tenantid}/v2.0", "without a slash behind it"),
            ("https://login.example/{tenantid}", "if issuer differs only there, write tenants"),
        ])
    func issuerAdvice(_ found: String, _ advice: String) {
        let text = DocumentError.otherIssuer(found: found, expected: Self.issuer).advice
        #expect(text?.contains(advice) == true)
        #expect((text?.hasPrefix("Write issuer:") == true) == advice.hasPrefix("Write issuer:"))
    }

    @Test("An issuer of version 1.0 of Microsoft Entra ID that lacks only its slash is named with it")
    func slashOfVersion1() {
        let issuer = "https://sts.windows.net/d5fe733d-6d61-4060-a35c-27f589675587"
        let text = DocumentError.otherIssuer(found: issuer + "/", expected: issuer).advice
        #expect(text?.hasPrefix("Write issuer: \(issuer)/ if") == true)
    }

    @Test(
        "Demands that no request of this server meets are read; only true counts",
        arguments: [
            (#","require_pushed_authorization_requests":true"#, ["require_pushed_authorization_requests"]),
            (#","require_signed_request_object":true"#, ["require_signed_request_object"]),
            (#","require_pushed_authorization_requests":"true""#, []), ("", []),
            (#","require_pushed_authorization_requests":false"#, []),
        ] as [(String, [String])])
    func demands(_ member: String, _ demands: [String]) throws {
        let document = """
            {"issuer":"https://op.example","authorization_endpoint":"https://op.example/a",
             "token_endpoint":"https://op.example/t","jwks_uri":"https://op.example/k"\(member)}
            """
        let endpoints = try ProviderMetadata.parse(
            Array(document.utf8), issuer: Self.issuer, overrides: EndpointOverrides())
        #expect(endpoints.unmetDemands == demands)
    }

    private static func algorithms(_ member: String) throws -> Set<Algorithm>? {
        let document = """
            \u{FEFF}{"issuer":"https://op.example","authorization_endpoint":"https://op.example/a","x":"\\u0000",
             "token_endpoint":"https://op.example/t","jwks_uri":"https://op.example/k"\(member)}
            """
        return try ProviderMetadata.parse(
            Array(document.utf8), issuer: issuer, overrides: EndpointOverrides()
        ).algorithms
    }

    @Test("Real-world 11: the supported ones of the named algorithms are allowed; without names, all are")
    func algorithms() throws {
        #expect(try Self.algorithms(#","id_token_signing_alg_values_supported":["ES384","HS256","none"]"#) == [.es384])
        #expect(try Self.algorithms(#","id_token_signing_alg_values_supported":["HS256"]"#) == [])
        #expect(try Self.algorithms(#","id_token_signing_alg_values_supported":null"#) == nil)
        // A text in place of the list.
        #expect(try Self.algorithms(#","id_token_signing_alg_values_supported":"RS256""#) == [.rs256])
        #expect(
            try Self.algorithms(#","id_token_signing_alg_values_supported":"RS256 none ES384""#) == [.rs256, .es384])
        #expect(try Self.algorithms(#","id_token_signing_alg_values_supported":"""#) == nil)
        #expect(try Self.algorithms(#","id_token_signing_alg_values_supported":1"#) == nil)
        #expect(try Self.algorithms("") == nil)
    }

    @Test(
        "Real-world 25: an issuer of many tenants has the placeholder in place of one segment, and that of one tenant none",
        arguments: [
            ("https://login.example/{tenantid}/v2.0", true), ("https://login.example/common/v2.0", true),
            ("https://evil.example/{tenantid}/v2.0", false), ("https://login.example/{tenantid}/v1.0", false),
            ("https://login.example/{tenantid}", false), ("https://{tenantid}/common/v2.0", false),
            ("https://login.example/{tenantid}/{tenantid}", false), ("http://login.example/{tenantid}/v2.0", false),
        ])
    func tenants(_ found: String, _ isAccepted: Bool) throws {
        let document = """
            {"issuer":"\(found)","authorization_endpoint":"https://login.example/a","token_endpoint":"https://login.example/t",
             "jwks_uri":"https://login.example/k"}
            """
        let result = try? ProviderMetadata.parse(
            Array(document.utf8), issuer: "https://login.example/common/v2.0", hasTenants: true,
            overrides: EndpointOverrides())
        #expect(result?.issuers == (isAccepted ? [found] : nil))
        // The configuration writes where discovery starts.
        var overrides = EndpointOverrides()
        overrides.issuers = ["https://login.example/common/v2.0"]
        let configured = try? ProviderMetadata.parse(
            Array(document.utf8), issuer: "https://login.example/common/v2.0", hasTenants: true, overrides: overrides)
        #expect(configured?.issuers == (isAccepted ? [found] : nil))
    }
}
