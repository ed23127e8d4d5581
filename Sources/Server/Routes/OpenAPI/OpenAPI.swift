internal import Jansson

/// `GET /openapi.json`: the contract in OpenAPI 3.1.
enum OpenAPI {
    /// What is served: ``outline``, with the refusals of each ``Operation`` and an example of each request.
    static let document = String(decoding: completed(outline).serialized(), as: UTF8.self)

    private static let reasons = Reason.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")

    private static let reasonTableText = String(decoding: reasonTable.serialized(), as: UTF8.self)

    private static let outline = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "token-exchange",
            "version": "0.1.0",
            "summary": "Signs people in to Firebase where Firebase's own SDK cannot.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
          },
          "paths": {
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
          },
          "components": {
            "securitySchemes": {
              "FirebaseIDToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "The Firebase ID token of the user."}
            },
            "headers": {
              "RetryAfter": {"description": "Seconds.", "schema": {"type": "integer"}},
              "WWWAuthenticate": {"description": "What to authenticate with (RFC 6750 section 3).", "schema": {"type": "string"}}
            },
            "schemas": {
        \#(accountSchemas),
              "ClientID": {"type": "string", "minLength": 1, "maxLength": 128, "examples": ["my-app"]},
              "ProviderID": {"type": "string", "minLength": 1, "maxLength": 128, "examples": ["yahoo.com", "twitter.com"]},
              "OptionalProviderID": {"type": "string", "maxLength": 128, "description": "A ProviderID; without a value it counts as left out (RFC 6749 section 3.1)."},
        \#(exchangeSchema),
              "AuthorizationRequest": {
                "type": "object",
                "required": ["client_id", "response_type", "redirect_uri", "code_challenge", "code_challenge_method"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "response_type": {"const": "code"},
                  "redirect_uri": {"type": "string"},
                  "code_challenge": {"type": "string", "minLength": 43, "maxLength": 43},
                  "code_challenge_method": {"const": "S256"},
                  "state": {"type": "string", "maxLength": 1024},
                  "provider": {"$ref": "#/components/schemas/OptionalProviderID"},
                  "scope": {"type": "string"},
                  "flow": {"type": "string", "examples": ["oauth1", "oauth2"]},
                  "intent": {"enum": ["link", "reauthenticate"], "description": "Only at /par, with the Firebase ID token of the user as bearer."}
                }
              },
              "TokenRequest": {
                "oneOf": [
                  {
                    "type": "object", "required": ["grant_type", "client_id", "code", "redirect_uri", "code_verifier"],
                    "properties": {
                      "grant_type": {"const": "authorization_code"},
                      "client_id": {"$ref": "#/components/schemas/ClientID"},
                      "code": {"type": "string", "description": "The handoff code that came to the redirect URI."},
                      "redirect_uri": {"type": "string"},
                      "code_verifier": {"type": "string", "minLength": 43, "maxLength": 128}
                    }
                  },
                  {
                    "type": "object", "required": ["grant_type", "client_id", "subject_token", "subject_token_type", "subject_issuer", "nonce"],
                    "properties": {
                      "grant_type": {"const": "urn:ietf:params:oauth:grant-type:token-exchange"},
                      "client_id": {"$ref": "#/components/schemas/ClientID"},
                      "subject_token": {"type": "string"},
                      "subject_token_type": {"enum": ["urn:ietf:params:oauth:token-type:id_token", "urn:ietf:params:oauth:token-type:access_token"]},
                      "subject_issuer": {"$ref": "#/components/schemas/ProviderID"},
                      "nonce": {"type": "string", "description": "The nonce_verifier of /v1/nonce, unless the provider is configured otherwise."},
                      "requested_token_type": {"const": "urn:ietf:params:oauth:token-type:jwt"}
                    }
                  },
                  {
                    "type": "object", "required": ["grant_type", "client_id", "device_code"],
                    "properties": {
                      "grant_type": {"const": "urn:ietf:params:oauth:grant-type:device_code"},
                      "client_id": {"$ref": "#/components/schemas/ClientID"},
                      "device_code": {"type": "string"}
                    }
                  }
                ]
              },
              "TokenResponse": {
                "type": "object",
                "description": "The members of CustomTokenResponse beside these, without custom_token.",
                "required": ["access_token", "token_type", "expires_in", "uid", "is_new_user", "provider", "provider_uid", "audience_proof", "profile"],
                "properties": {
                  "access_token": {"type": "string", "description": "The custom token, for signInWithCustomToken."},
                  "token_type": {"enum": ["Bearer", "N_A"], "description": "N_A for the token-exchange grant (RFC 8693 section 2.2.1)."},
                  "issued_token_type": {"const": "urn:ietf:params:oauth:token-type:jwt", "description": "Only for the token-exchange grant."},
                  "expires_in": {"type": "integer", "description": "Seconds, at most 3600."}
                }
              },
              "DeviceAuthorization": {
                "type": "object",
                "required": ["device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval"],
                "properties": {
                  "device_code": {"type": "string"},
                  "user_code": {"type": "string", "examples": ["WDJB-MJHT"]},
                  "verification_uri": {"type": "string", "format": "uri"},
                  "verification_uri_complete": {"type": "string", "format": "uri"},
                  "expires_in": {"type": "integer", "description": "Seconds."},
                  "interval": {"type": "integer", "description": "Seconds between two polls."}
                }
              },
              "SignInRequest": {
                "type": "object",
                "additionalProperties": false,
                "required": ["client_id", "provider", "redirect_uri"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"},
                  "redirect_uri": {"type": "string", "minLength": 1, "maxLength": 2048},
                  "scopes": {"type": "array", "items": {"type": "string"}, "maxItems": 50},
                  "parameters": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 50},
                  "flow": {"type": "string", "examples": ["oauth1", "oauth2"]},
                  "intent": {"enum": ["link", "reauthenticate"], "description": "With the Firebase ID token of the user as bearer: the session then ends at that endpoint, for that user."}
                }
              },
              "NonceRequest": {
                "type": "object",
                "additionalProperties": false,
                "required": ["client_id", "provider"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"}
                }
              },
              "BegunSignIn": {
                "type": "object",
                "required": ["authorization_url", "session", "expires_in"],
                "properties": {
                  "authorization_url": {"type": "string", "format": "uri"},
                  "session": {"type": "string"},
                  "expires_in": {"type": "integer", "description": "Seconds."}
                }
              },
              "IssuedNonce": {
                "type": "object",
                "required": ["nonce", "nonce_verifier", "expires_in"],
                "properties": {
                  "nonce": {"type": "string", "description": "base64url(SHA-256(nonce_verifier))"},
                  "nonce_verifier": {"type": "string"},
                  "expires_in": {"type": "integer", "description": "Seconds."}
                }
              },
              "CustomTokenResponse": {
                "type": "object",
                "required": ["expires_in", "uid", "is_new_user", "provider"],
                "properties": {
                  "custom_token": {"type": "string", "description": "For signInWithCustomToken; absent if the client's configuration has redeem."},
                  "firebase_id_token": {"type": "string", "description": "Only if the client's configuration has redeem, with the next two."},
                  "firebase_refresh_token": {"type": "string"},
                  "firebase_expires_in": {"type": "integer", "description": "Seconds."},
                  "expires_in": {"type": "integer", "description": "Seconds, at most 3600."},
                  "uid": {"type": "string", "minLength": 1, "maxLength": 128},
                  "is_new_user": {"type": "boolean"},
                  "provider": {"type": "string", "description": "anonymous for an anonymous account, which has none of what follows."},
                  "provider_uid": {"type": "string"},
                  "audience_proof": {"$ref": "#/components/schemas/AudienceProof"},
                  "profile": {"$ref": "#/components/schemas/Profile"},
                  "oauth": {"$ref": "#/components/schemas/ProviderTokens"}
                }
              },
              "AudienceProof": {"enum": ["authorization_code", "id_token_aud", "consumer_signature", "introspection"]},
              "Profile": {
                "type": "object",
                "properties": {
                  "name": {"type": "string"}, "given_name": {"type": "string"}, "family_name": {"type": "string"},
                  "email": {"type": "string"}, "email_verified": {"type": "boolean"}, "picture": {"type": "string"},
                  "locale": {"type": "string"}, "screen_name": {"type": "string"}
                }
              },
              "ProviderTokens": {
                "type": "object",
                "description": "Only if the client's configuration has return_provider_tokens.",
                "properties": {
                  "access_token": {"type": "string"}, "id_token": {"type": "string"}, "refresh_token": {"type": "string"},
                  "oauth_token_secret": {"type": "string"}, "expires_in": {"type": "integer"}, "scope": {"type": "string"}
                }
              },
              "Error": {
                "type": "object",
                "required": ["error", "error_description", "reason", "code", "request_id"],
                "properties": {
                  "error": {"type": "string", "description": "A registered OAuth code."},
                  "error_description": {"type": "string"},
                  "reason": {"description": "One per cause, whatever the wording.", "enum": [\#(reasons)], "x-reasons": \#(reasonTableText)},
                  "parameter": {"type": "string", "maxLength": 64, "description": "With parameter_not_allowed and reserved_parameter: the name that the request must not have."},
                  "code": {"type": "string", "description": "Firebase's client vocabulary, such as auth/invalid-credential."},
                  "request_id": {"type": "string"},
                  "retry": {"enum": ["same", "restart"], "description": "With 429 and 5xx, and with issued_unwatched. same: the same request may be sent again. restart: sign in at the provider again. provider_refuses_us has none: the operator has to act."},
                  "pending_credential": {"type": "string", "minLength": 43, "maxLength": 43, "description": "With credential_already_in_use and account_exists_with_different_credential: a random handle, good once and for ten minutes, that stands for the credential, which is spent. It is expired once its identity is at another account than at the conflict."},
                  "email": {"type": "string", "description": "With account_exists_with_different_credential."},
                  "providers": {"type": "array", "items": {"type": "string"}, "description": "With account_exists_with_different_credential: sign in with one of these, and link the pending_credential."}
                }
              }
            }
          }
        }
        """#
}
