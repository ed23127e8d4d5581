extension OpenAPI {
    /// All paths: the endpoints of applications, of accounts and of browsers.
    static let paths = #"""
            "/v1/exchange": {
              "post": {
                "operationId": "exchange",
                "summary": "A credential of a provider goes in, a Firebase custom token comes out.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ExchangeRequest"}}}},
                "responses": {
                  "200": {"description": "Signed in.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomTokenResponse"}}}}
                }
              }
            },
            "/v1/signin": {
              "post": {
                "operationId": "signin",
                "summary": "Begins a flow for an application that owns its redirect.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignInRequest"}}}},
                "responses": {
                  "200": {"description": "Open the URL, and post the session and the whole callback URL to /v1/exchange.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BegunSignIn"}}}}
                }
              }
            },
            "/v1/nonce": {
              "post": {
                "operationId": "nonce",
                "summary": "A nonce for an ID token that the application obtains by itself.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NonceRequest"}}}},
                "responses": {
                  "200": {"description": "Give the nonce to the provider, and post the verifier with the ID token.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/IssuedNonce"}}}}
                }
              }
            },
        \#(accountPaths),
            "/token": {
              "post": {
                "operationId": "token",
                "summary": "A handoff code, a subject token or a device code goes in, a custom token comes out.",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/TokenRequest"}}}},
                "responses": {
                  "200": {"description": "Signed in; access_token is the custom token.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenResponse"}}}}
                }
              }
            },
            "/par": {
              "post": {
                "operationId": "par",
                "summary": "Takes an authorization request beforehand (RFC 9126).",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/AuthorizationRequest"}}}},
                "responses": {
                  "201": {"description": "Give request_uri to /authorize, once.", "content": {"application/json": {"schema": {"type": "object", "required": ["request_uri", "expires_in"], "properties": {"request_uri": {"type": "string"}, "expires_in": {"type": "integer", "description": "Seconds."}}}}}}
                }
              }
            },
            "/device_authorization": {
              "post": {
                "operationId": "device_authorization",
                "summary": "Begins a device grant (RFC 8628).",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "required": ["client_id"], "properties": {"client_id": {"$ref": "#/components/schemas/ClientID"}, "provider": {"$ref": "#/components/schemas/OptionalProviderID"}, "scope": {"type": "string"}}}}}},
                "responses": {
                  "200": {"description": "Show user_code and verification_uri, and poll /token.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/DeviceAuthorization"}}}}
                }
              }
            },
            "/.well-known/oauth-authorization-server": {
              "get": {
                "operationId": "metadata",
                "summary": "What an OAuth library needs to know (RFC 8414).",
                "responses": {"200": {"description": "Metadata.", "content": {"application/json": {"schema": {"type": "object", "required": ["issuer", "token_endpoint", "response_types_supported"]}}}}}
              }
            },
            "/authorize": {
              "get": {
                "operationId": "authorize",
                "summary": "Begins a browser flow: a page, or a redirect to the provider (RFC 6749 section 4.1.1).",
                "parameters": [
                  {"in": "query", "name": "client_id", "required": true, "schema": {"$ref": "#/components/schemas/ClientID"}},
                  {"in": "query", "name": "request_uri", "description": "From /par; replaces all parameters that follow.", "schema": {"type": "string"}},
                  {"in": "query", "name": "response_type", "schema": {"const": "code"}},
                  {"in": "query", "name": "redirect_uri", "description": "Exactly one of the client's redirect_uris, but for the port of a loopback address.", "schema": {"type": "string"}},
                  {"in": "query", "name": "code_challenge", "schema": {"type": "string", "minLength": 43, "maxLength": 43}},
                  {"in": "query", "name": "code_challenge_method", "schema": {"const": "S256"}},
                  {"in": "query", "name": "state", "schema": {"type": "string", "maxLength": 1024}},
                  {"in": "query", "name": "provider", "schema": {"$ref": "#/components/schemas/OptionalProviderID"}},
                  {"in": "query", "name": "scope", "schema": {"type": "string"}},
                  {"in": "query", "name": "flow", "schema": {"type": "string", "examples": ["oauth1", "oauth2"]}}
                ],
                "responses": {
                  "200": {"description": "A page asks for the provider, or to go on to the one that was named.", "content": {"text/html": {}}},
                  "303": {"description": "To the provider, or back to the application with an error."}
                }
              },
              "post": {
                "operationId": "choose",
                "summary": "The form of that page; only for browsers.",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "required": ["flow"], "properties": {"flow": {"type": "string"}, "provider": {"type": "string", "description": "Empty to cancel."}}}}}},
                "responses": {
                  "303": {"description": "To the provider, or back to the application with an error."}
                }
              }
            },
            "/callback/{provider}": {
              "get": {
                "operationId": "callback",
                "summary": "The provider sends the browser back; register it there as the redirect URI.",
                "parameters": [{"in": "path", "name": "provider", "required": true, "schema": {"$ref": "#/components/schemas/ProviderID"}}],
                "responses": {
                  "303": {"description": "To the application, with code, state and iss, or with an error."},
                  "200": {"description": "A page asks whether the device may have the sign-in.", "content": {"text/html": {}}}
                }
              }
            },
            "/device": {
              "get": {
                "operationId": "device",
                "summary": "The page for the code of a device (RFC 8628 section 3.3).",
                "parameters": [{"in": "query", "name": "user_code", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "A page.", "content": {"text/html": {}}}}
              },
              "post": {
                "operationId": "answer_device",
                "summary": "The forms of its pages; only for browsers.",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "required": ["flow"], "properties": {"flow": {"type": "string"}, "user_code": {"type": "string"}, "provider": {"type": "string"}, "decision": {"enum": ["approve", "deny"]}}}}}},
                "responses": {
                  "200": {"description": "The next page.", "content": {"text/html": {}}},
                  "303": {"description": "To the provider."}
                }
              }
            },
            "/openapi.json": {
              "get": {
                "operationId": "openapi",
                "summary": "This description.",
                "responses": {"200": {"description": "OpenAPI 3.1.", "content": {"application/json": {"schema": {"type": "object"}}}}}
              }
            }
        """#
}
