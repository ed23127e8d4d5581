internal import Jansson
internal import Standards

extension OpenAPI {
    /// All schemas.
    static let schemas = #"""
        \#(accountSchemas),
              "ClientID": {\#(text(upTo: 128)), "examples": ["my-app"]},
              "ProviderID": {\#(text(upTo: 128)), "examples": ["yahoo.com", "twitter.com"]},
              "OptionalProviderID": {"type": "string", "maxLength": 128, "description": "A ProviderID. An empty value counts as omitted (RFC 6749 section 3.1)."},
              "ResponseMode": {"type": "string", "enum": ["query", "form_post", "web_message"], "default": "query", "description": "form_post: a page posts a form to the redirect_uri, which is https or loopback http. web_message: a page posts {type: \"authorization_response\", response} to the window that opened it, only if that has the origin of the redirect_uri, which is one of the client's origins."},
        \#(credentialSchemas),
              "AuthorizationRequest": {
                "type": "object",
                "required": ["client_id", "response_type", "redirect_uri", "code_challenge", "code_challenge_method"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "response_type": {"type": "string", "const": "code"},
                  "response_mode": {"$ref": "#/components/schemas/ResponseMode"},
                  "redirect_uri": {"type": "string"},
                  "code_challenge": {"$ref": "#/components/schemas/CodeChallenge"},
                  "code_challenge_method": {"type": "string", "const": "S256"},
                  "state": {"type": "string", "maxLength": 1024, "examples": ["af0ifjsldkj"]},
                  "provider": {"$ref": "#/components/schemas/OptionalProviderID"},
                  "scope": {"type": "string", "maxLength": 1024, "description": "Scopes of the provider, separated by spaces. openid, profile and email have no effect."},
                  "flow": {"type": "string", "examples": ["oauth1", "oauth2"]},
                  "intent": {"type": "string", "enum": ["link", "reauthenticate"], "description": "Only at /par, with the Firebase ID token of the user as bearer."}
                }
              },
              "TokenRequest": {
                "oneOf": [
                  {"$ref": "#/components/schemas/HandoffCodeGrant"},
                  {"$ref": "#/components/schemas/TokenExchangeGrant"},
                  {"$ref": "#/components/schemas/DeviceCodeGrant"}
                ],
                "discriminator": {
                  "propertyName": "grant_type",
                  "mapping": {
                    "authorization_code": "#/components/schemas/HandoffCodeGrant",
                    "urn:ietf:params:oauth:grant-type:token-exchange": "#/components/schemas/TokenExchangeGrant",
                    "urn:ietf:params:oauth:grant-type:device_code": "#/components/schemas/DeviceCodeGrant"
                  }
                }
              },
              "HandoffCodeGrant": {
                "type": "object", "required": ["grant_type", "client_id", "code", "redirect_uri", "code_verifier"],
                "properties": {
                  "grant_type": {"type": "string", "const": "authorization_code"},
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "code": {"type": "string", "minLength": 1, "description": "The handoff code from the redirect URI."},
                  "redirect_uri": {"type": "string", "minLength": 1},
                  "code_verifier": {"$ref": "#/components/schemas/CodeVerifier"}
                }
              },
              "TokenExchangeGrant": {
                "type": "object", "required": ["grant_type", "client_id", "subject_token", "subject_token_type", "nonce"],
                "anyOf": [{"required": ["subject_issuer"]}, {"required": ["provider"]}],
                "properties": {
                  "grant_type": {"type": "string", "const": "urn:ietf:params:oauth:grant-type:token-exchange"},
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "subject_token": {"type": "string", "minLength": 1},
                  "subject_token_type": {"type": "string", "enum": ["urn:ietf:params:oauth:token-type:id_token", "urn:ietf:params:oauth:token-type:access_token"]},
                  "subject_issuer": {"$ref": "#/components/schemas/ProviderID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID", "description": "Another name of subject_issuer. If both are sent, they must be equal."},
                  "nonce": {"type": "string", "minLength": 1, "description": "The nonce_verifier of /v1/nonce, unless the provider is configured otherwise."},
                  "requested_token_type": {"type": "string", "const": "urn:ietf:params:oauth:token-type:jwt"}
                }
              },
              "DeviceCodeGrant": {
                "type": "object", "required": ["grant_type", "client_id", "device_code"],
                "properties": {
                  "grant_type": {"type": "string", "const": "urn:ietf:params:oauth:grant-type:device_code"},
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "device_code": {"type": "string", "minLength": 1}
                }
              },
              "TokenResponse": {
                "type": "object",
                "required": ["access_token", "token_type", "expires_in", "uid", "is_new_user", "provider", "provider_uid", "audience_proof", "profile"],
                "properties": {
                  "access_token": {"type": "string", "pattern": "\#(jwt)", "description": "The custom token, for signInWithCustomToken; the Firebase ID token if redeem is set for the client."},
                  "token_type": {"type": "string", "enum": ["Bearer", "N_A"], "description": "N_A for the token-exchange grant (RFC 8693 section 2.2.1)."},
                  "issued_token_type": {"type": "string", "const": "urn:ietf:params:oauth:token-type:jwt", "description": "Only for the token-exchange grant."},
                  "expires_in": {"type": "integer", "minimum": 1, "maximum": 3600, "description": "Seconds."},
                  "firebase_refresh_token": {"type": "string", "description": "Only if redeem is set for the client, as is the next one."},
                  "firebase_expires_in": {"type": "integer", "description": "Seconds."},
                  "is_new_user": {"type": "boolean"},
                  "linked": {"type": "boolean", "description": "true if the user has linked the identity to an existing account during this flow; absent otherwise."},
        \#(identityProperties)
                }
              },
              "PushedRequest": {
                "type": "object", "required": ["request_uri", "expires_in"],
                "properties": {
                  "request_uri": {"type": "string", "pattern": "^urn:ietf:params:oauth:request_uri:"},
                  "expires_in": {"type": "integer", "description": "Seconds."}
                }
              },
              "Metadata": {
                "type": "object", "required": ["issuer", "token_endpoint", "response_types_supported"],
                "properties": {
                  "issuer": {"type": "string", "format": "uri"},
                  "authorization_endpoint": {"type": "string", "format": "uri"},
                  "pushed_authorization_request_endpoint": {"type": "string", "format": "uri"},
                  "device_authorization_endpoint": {"type": "string", "format": "uri"},
                  "token_endpoint": {"type": "string", "format": "uri"},
                  "token_endpoint_auth_methods_supported": {"type": "array", "items": {"type": "string"}},
                  "grant_types_supported": {"type": "array", "items": {"type": "string"}},
                  "response_types_supported": {"type": "array", "items": {"type": "string"}},
                  "response_modes_supported": {"type": "array", "items": {"type": "string"}},
                  "code_challenge_methods_supported": {"type": "array", "items": {"type": "string"}},
                  "scopes_supported": {"type": "array", "items": {"type": "string"}},
                  "authorization_response_iss_parameter_supported": {"type": "boolean"},
                  "service_documentation": {"type": "string", "format": "uri"}
                }
              },
              "ChoiceForm": {
                "type": "object", "required": ["flow"],
                "properties": {
                  "flow": {"type": "string", "description": "The hidden field of the page."},
                  "provider": {"type": "string", "description": "Empty to cancel."},
                  "decision": {"type": "string", "description": "prove: the form has the code of a second factor. continue: the user continues in the application, because the page cannot settle the conflict."},
                  "code": {"type": "string", "description": "A code of the authenticator application, or a recovery code."},
                  "language": {"type": "string", "description": "Returns the page again, in this language."}
                }
              },
              "DeviceForm": {
                "type": "object", "required": ["flow"],
                "properties": {
                  "flow": {"type": "string", "description": "The hidden field of the page."},
                  "user_code": {"type": "string"},
                  "provider": {"type": "string"},
                  "decision": {"type": "string", "enum": ["approve", "deny"]},
                  "language": {"type": "string", "description": "Returns the page again, in this language."}
                }
              },
              "DeviceRequest": {
                "type": "object", "required": ["client_id"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/OptionalProviderID"},
                  "scope": {"type": "string", "maxLength": 1024}
                }
              },
              "DeviceAuthorization": {
                "type": "object",
                "required": ["device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval"],
                "properties": {
                  "device_code": {"type": "string", "minLength": 1},
                  "user_code": {"type": "string", "pattern": "^[A-Z]{4}-[A-Z]{4}$", "examples": ["WDJB-MJHT"]},
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
                  "redirect_uri": {\#(text(upTo: 2048)), "description": "Exactly one of the client's provider_redirect_uris."},
                  "scopes": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 1024, "pattern": "\#(word)"}, "maxItems": 50},
                  "parameters": {"type": "object", "additionalProperties": {\#(text(upTo: 1024))}, "maxProperties": 50},
                  "flow": {\#(text(upTo: 16)), "examples": ["oauth1", "oauth2"]},
                  "intent": {"type": "string", "enum": ["link", "reauthenticate"], "description": "Requires the Firebase ID token of the user as bearer. The session is then valid only at the endpoint of the intent and only for that user."}
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
                  "session": {"type": "string", "minLength": 1, "maxLength": 16384},
                  "expires_in": {"type": "integer", "description": "Seconds."}
                }
              },
              "IssuedNonce": {
                "type": "object",
                "required": ["nonce", "nonce_verifier", "expires_in"],
                "properties": {
                  "nonce": {"type": "string", "pattern": "\#(octets32)", "description": "base64url(SHA-256(nonce_verifier))"},
                  "nonce_verifier": {"type": "string", "minLength": 1, "maxLength": 2048},
                  "expires_in": {"type": "integer", "description": "Seconds."}
                }
              },
              "CustomTokenResponse": {
                "type": "object",
                "description": "An anonymous account has the provider anonymous, and no provider_uid, audience_proof and profile.",
                "required": ["expires_in", "uid", "is_new_user", "provider"],
                "properties": {
        \#(tokenProperties),
                  "is_new_user": {"type": "boolean"},
        \#(identityProperties)
                }
              },
              "AudienceProof": {"type": "string", "enum": ["authorization_code", "id_token_aud", "consumer_signature", "introspection"]},
              "Profile": {
                "type": "object",
                "properties": {
                  "name": {"type": "string"}, "given_name": {"type": "string"}, "family_name": {"type": "string"},
                  "email": {"type": "string"}, "email_verified": {"type": "boolean"}, "picture": {"type": "string"},
                  "locale": {"type": "string"}, "screen_name": {"type": "string"}
                }
              },
              "ProviderProfile": {
                "type": "object",
                "description": "The provider's own answer about the person, up to 16 KiB and without tokens. Only if return_provider_profile is set for the client.",
                "properties": {
                  "userinfo": {"type": "object", "description": "The response of the userinfo endpoint; for X the data of /2/users/me, or the response of account/verify_credentials.json. Absent if the provider was not asked."},
                  "id_token": {"type": "object", "description": "The claims of the ID token, without nonce."}
                }
              },
              "ProviderProfileOmitted": {"type": "boolean", "enum": [true], "description": "The provider's answer is longer than 16 KiB, so that provider_profile is absent. Call the provider for it."},
              "ProviderTokens": {
                "type": "object",
                "description": "Only if return_provider_tokens is set for the client.",
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
                  "reason": {"type": "string", "description": "The stable name of the cause, independent of error_description.", "enum": [\#(reasons)], "x-reasons": \#(reasonTableText)},
                  "parameter": {"type": "string", "maxLength": 64, "description": "With parameter_not_allowed and reserved_parameter: the name of the parameter to omit."},
                  "message": {"type": "string", "maxLength": 300, "description": "With blocked_by_hook: the text of the operator for the user, as plain text. Absent if the operator sends none."},
                  "code": {"type": "string", "description": "An error code of the Firebase client SDKs, such as auth/invalid-credential."},
                  "request_id": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                  "retry": {"type": "string", "enum": ["same", "restart"], "description": "With 429 and 5xx, and with issued_unwatched. same: send the same request again. restart: sign in at the provider again. provider_refuses_us has none, because the operator must act first."},
                  "pending_credential": {"type": "string", "pattern": "\#(octets32)", "description": "With credential_already_in_use, account_exists_with_different_credential and second_factor_required: a random handle for the identity of the credential, which is spent. The handle is valid once and for ten minutes; with second_factor_required for five minutes and five codes. It expires early if the identity moves to another account."},
                  "factors": {"type": "array", "items": {"type": "string", "enum": ["totp", "recovery_code"]}, "description": "With second_factor_required and a pending_credential: the kinds of codes with which the sign-in continues at /v1/exchange."},
                  "email": {"type": "string", "description": "With account_exists_with_different_credential."},
                  "existing_uid": {"type": "string", "minLength": 1, "maxLength": 128, "description": "With credential_already_in_use: the uid of the account that has the identity, so that the application can move its data before it merges the accounts."},
                  "providers": {"type": "array", "items": {"type": "string"}, "description": "With account_exists_with_different_credential: sign in with one of these, then send the pending_credential to /v1/account/link."}
                }
              }
        """#

    private static let reasons = Reason.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")

    private static let reasonTableText = String(decoding: reasonTable.serialized(), as: UTF8.self)
}
