import Jansson
import Standards
import Testing
import Transport

@Suite("Metadata", .serialized, .timeLimit(.minutes(5)))
struct MetadataTests {
    private static let path = "/.well-known/oauth-authorization-server"
    private static let issuer = "https://auth.example.com"

    @Test("The metadata lists the enabled features (RFC 8414)")
    func everything() async throws {
        try await TestServer.open { server in
            let response = try await server.get(Self.path)
            #expect(response.status == 200)
            #expect(response[field: "Content-Type"] == "application/json")
            #expect(
                response.json == [
                    "issuer": .string(Self.issuer),
                    "authorization_endpoint": .string(Self.issuer + "/authorize"),
                    "token_endpoint": .string(Self.issuer + "/token"),
                    "pushed_authorization_request_endpoint": .string(Self.issuer + "/par"),
                    "device_authorization_endpoint": .string(Self.issuer + "/device_authorization"),
                    "token_endpoint_auth_methods_supported": ["none"],
                    "grant_types_supported": [
                        "authorization_code", "urn:ietf:params:oauth:grant-type:device_code",
                        "urn:ietf:params:oauth:grant-type:token-exchange",
                    ],
                    "response_types_supported": ["code"],
                    "response_modes_supported": ["query", "form_post", "web_message"],
                    "scopes_supported": ["profile", "email"],
                    "code_challenge_methods_supported": ["S256"],
                    "authorization_response_iss_parameter_supported": true,
                    "service_documentation": .string(Self.issuer + "/openapi.json"),
                ])
        }
    }

    @Test("The metadata does not list features that no client may use", arguments: GrantType.allCases)
    func one(_ grant: GrantType) async throws {
        try await TestServer.open(.grants([grant])) { server in
            let metadata = try #require(try await server.get(Self.path).json?.object)
            #expect(metadata["grant_types_supported"] == [.string(grant.rawValue)])
            let isBrowser = grant == .authorizationCode
            #expect(metadata["response_types_supported"] == (isBrowser ? ["code"] : []))
            for name in [
                "authorization_endpoint", "pushed_authorization_request_endpoint", "response_modes_supported",
                "code_challenge_methods_supported", "authorization_response_iss_parameter_supported",
            ] {
                #expect((metadata[name] != nil) == isBrowser, "\(name)")
            }
            #expect((metadata["device_authorization_endpoint"] != nil) == (grant == .deviceCode))
            #expect((metadata["scopes_supported"] != nil) == (isBrowser || grant == .deviceCode))
        }
    }

    @Test("OpenID Connect Discovery finds the same document, without the members of ID tokens (RFC 8414 §5)")
    func openIDConfiguration() async throws {
        try await TestServer.open { server in
            let response = try await server.get("/.well-known/openid-configuration")
            #expect(response.status == 200)
            #expect(response.json == (try await server.get(Self.path).json))
            for name in ["jwks_uri", "subject_types_supported", "id_token_signing_alg_values_supported"] {
                #expect(response.json?[name] == nil, "\(name)")
            }
        }
    }

    @Test("Its endpoints are there")
    func endpoints() async throws {
        try await TestServer.open { server in
            let metadata = try #require(try await server.get(Self.path).json?.object)
            for (name, value) in metadata where name.hasSuffix("_endpoint") || name == "service_documentation" {
                let url = value.string ?? ""
                #expect(url.hasPrefix(Self.issuer + "/"))
                let path = String(url.dropFirst(Self.issuer.count))
                #expect(try await server.get(path).status != 404, "\(name)")
            }
            for path in [Self.path + "/", Self.path + "/x"] {
                #expect(try await server.get(path).status == 404)
            }
        }
    }
}
