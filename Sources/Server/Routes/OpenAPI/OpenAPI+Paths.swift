extension OpenAPI {
    /// All paths: the endpoints of applications, of accounts and of browsers.
    static let paths = #"""
            "/v1/exchange": {
              "post": {
                "operationId": "exchange",
                "summary": "Exchanges a credential of a provider for a Firebase custom token.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ExchangeBody"}}}},
                "responses": {
                  "200": {"description": "Signed in.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomTokenResponse"}}}}
                }
              }
            },
            "/v1/signin": {
              "post": {
                "operationId": "signin",
                "summary": "Begins a flow for an application that receives the provider callback itself.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignInRequest"}}}},
                "responses": {
                  "200": {"description": "Open authorization_url in a browser, then send the session and the complete callback URL to /v1/exchange.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BegunSignIn"}}}}
                }
              }
            },
            "/v1/nonce": {
              "post": {
                "operationId": "nonce",
                "summary": "Issues a nonce for a credential that the application obtains from the provider itself.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NonceRequest"}}}},
                "responses": {
                  "200": {"description": "Send nonce to the provider, and nonce_verifier with the credential.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/IssuedNonce"}}}}
                }
              }
            },
        \#(accountPaths),
            "/token": {
              "post": {
                "operationId": "token",
                "summary": "Exchanges a handoff code, a subject token or a device code for a custom token.",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/TokenRequest"}}}},
                "responses": {
                  "200": {"description": "Signed in; access_token is the custom token.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenResponse"}}}}
                }
              }
            },
            "/par": {
              "post": {
                "operationId": "par",
                "summary": "Stores an authorization request and returns a request_uri for it (RFC 9126).",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/AuthorizationRequest"}}}},
                "responses": {
                  "201": {"description": "Open /authorize with client_id and request_uri, which is valid once.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PushedRequest"}}}}
                }
              }
            },
            "/device_authorization": {
              "post": {
                "operationId": "device_authorization",
                "summary": "Begins a device grant (RFC 8628).",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/DeviceRequest"}}}},
                "responses": {
                  "200": {"description": "Show user_code and verification_uri to the user, and poll /token.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/DeviceAuthorization"}}}}
                }
              }
            },
            "/.well-known/oauth-authorization-server": {
              "get": {
                "operationId": "metadata",
                "summary": "Returns the authorization server metadata (RFC 8414).",
                "responses": {"200": {"description": "Metadata.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Metadata"}}}}}
              }
            },
            "/.well-known/openid-configuration": {
              "get": {
                "operationId": "openid_configuration",
                "summary": "Returns the same metadata, for libraries that know only OpenID Connect Discovery (RFC 8414 section 5). The server issues no ID tokens.",
                "responses": {"200": {"description": "Metadata.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Metadata"}}}}}
              }
            },
            "/authorize": {
              "get": {
                "operationId": "authorize",
                "summary": "Begins a browser flow: a page, or a redirect to the provider (RFC 6749 section 4.1.1).",
                "parameters": [
                  {"in": "query", "name": "client_id", "required": true, "schema": {"$ref": "#/components/schemas/ClientID"}},
                  {"in": "query", "name": "request_uri", "description": "The request_uri from /par; it replaces all parameters below.", "schema": {"type": "string"}},
                  {"in": "query", "name": "response_type", "schema": {"type": "string", "const": "code"}},
                  {"in": "query", "name": "response_mode", "schema": {"$ref": "#/components/schemas/ResponseMode"}},
                  {"in": "query", "name": "redirect_uri", "description": "Exactly one of the client's redirect_uris, except for the port of a loopback address.", "schema": {"type": "string"}},
                  {"in": "query", "name": "code_challenge", "schema": {"$ref": "#/components/schemas/CodeChallenge"}},
                  {"in": "query", "name": "code_challenge_method", "schema": {"type": "string", "const": "S256"}},
                  {"in": "query", "name": "state", "schema": {"type": "string", "maxLength": 1024}},
                  {"in": "query", "name": "provider", "schema": {"$ref": "#/components/schemas/OptionalProviderID"}},
                  {"in": "query", "name": "scope", "schema": {"type": "string", "maxLength": 1024}},
                  {"in": "query", "name": "flow", "schema": {"type": "string", "examples": ["oauth1", "oauth2"]}},
                  {"in": "query", "name": "ui_locales", "description": "The languages of the pages in order of preference.", "schema": {"type": "string", "examples": ["fr-CA fr en"]}}
                ],
                "responses": {
                  "200": {"description": "A page on which the user chooses the provider, or continues to the requested one; or the page of a response_mode that carries an error to the application.", "content": {"text/html": {"schema": {"type": "string"}}}},
                  "303": {"description": "Redirects to the provider, or to the application with an error.", "headers": {"Location": {"$ref": "#/components/headers/Location"}}}
                }
              },
              "post": {
                "operationId": "choose",
                "summary": "Submits the form of that page; only for browsers.",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/ChoiceForm"}}}},
                "responses": {
                  "200": {"description": "The same page in another language; or the page of a response_mode that carries an error to the application.", "content": {"text/html": {"schema": {"type": "string"}}}},
                  "303": {"description": "Redirects to the provider, or to the application with an error.", "headers": {"Location": {"$ref": "#/components/headers/Location"}}}
                }
              }
            },
            "/callback/{provider}": {
              "get": {
                "operationId": "callback",
                "summary": "Receives the browser from the provider. Register this URL at the provider as the redirect URI.",
                "parameters": [{"in": "path", "name": "provider", "required": true, "schema": {"$ref": "#/components/schemas/ProviderID"}}],
                "responses": {
                  "303": {"description": "Redirects to the application with code, state and iss, or with an error.", "headers": {"Location": {"$ref": "#/components/headers/Location"}}},
                  "200": {"description": "A page that asks the user to approve the sign-in on the device, or that carries code, state and iss, or an error, to the application by form_post or web_message.", "content": {"text/html": {"schema": {"type": "string"}}}}
                }
              }
            },
            "/device": {
              "get": {
                "operationId": "device",
                "summary": "Returns the page on which the user enters the code of a device (RFC 8628 section 3.3).",
                "parameters": [{"in": "query", "name": "user_code", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "A page.", "content": {"text/html": {"schema": {"type": "string"}}}}}
              },
              "post": {
                "operationId": "answer_device",
                "summary": "Submits the forms of the device pages; only for browsers.",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/DeviceForm"}}}},
                "responses": {
                  "200": {"description": "The next page.", "content": {"text/html": {"schema": {"type": "string"}}}},
                  "303": {"description": "Redirects to the provider.", "headers": {"Location": {"$ref": "#/components/headers/Location"}}}
                }
              }
            },
            "/": {
              "get": {
                "operationId": "home",
                "summary": "Returns a page that says what this server is for.",
                "responses": {"200": {"description": "A page. It links to the support of the client, if there is only one.", "content": {"text/html": {"schema": {"type": "string"}}}}}
              }
            },
            "/logo/{digest}": {
              "get": {
                "operationId": "logo",
                "summary": "Returns the logo of a client, which its pages contain.",
                "parameters": [{"in": "path", "name": "digest", "required": true, "schema": {"type": "string"}}],
                "responses": {"200": {"description": "The image.", "content": {"image/png": {}, "image/jpeg": {}, "image/webp": {}}}}
              }
            },
            "/openapi.json": {
              "get": {
                "operationId": "openapi",
                "summary": "Returns this description.",
                "responses": {"200": {"description": "OpenAPI 3.1.", "content": {"application/json": {"schema": {"type": "object"}}}}}
              }
            }
        """#
}
