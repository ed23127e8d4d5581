internal import Jansson

extension OpenAPI {
    /// All schemas.
    static let schemas = #"""
        \#(accountSchemas),
              "ClientID": {"type": "string", "minLength": 1, "maxLength": 128, "examples": ["my-app"]},
              "ProviderID": {"type": "string", "minLength": 1, "maxLength": 128, "examples": ["yahoo.com", "twitter.com"]},
              "OptionalProviderID": {"type": "string", "maxLength": 128, "description": "A ProviderID. An empty value counts as omitted (RFC 6749 section 3.1)."},
              "ResponseMode": {"enum": ["query", "form_post", "web_message"], "default": "query", "description": "form_post: a page posts a form to the redirect_uri, which is https or loopback http. web_message: a page posts {type: \"authorization_response\", response} to the window that opened it, only if that has the origin of the redirect_uri, which is one of the client's origins."},
        \#(exchangeSchema),
              "AuthorizationRequest": {
                "type": "object",
                "required": ["client_id", "response_type", "redirect_uri", "code_challenge", "code_challenge_method"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "response_type": {"const": "code"},
                  "response_mode": {"$ref": "#/components/schemas/ResponseMode"},
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
                      "code": {"type": "string", "description": "The handoff code from the redirect URI."},
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
                "description": "These members, and those of CustomTokenResponse without custom_token.",
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
                  "intent": {"enum": ["link", "reauthenticate"], "description": "Requires the Firebase ID token of the user as bearer. The session is then valid only at the endpoint of the intent and only for that user."}
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
                  "custom_token": {"type": "string", "description": "For signInWithCustomToken; absent if redeem is set for the client."},
                  "firebase_id_token": {"type": "string", "description": "Only if redeem is set for the client, as are the next two."},
                  "firebase_refresh_token": {"type": "string"},
                  "firebase_expires_in": {"type": "integer", "description": "Seconds."},
                  "expires_in": {"type": "integer", "description": "Seconds, at most 3600."},
                  "uid": {"type": "string", "minLength": 1, "maxLength": 128},
                  "is_new_user": {"type": "boolean"},
                  "provider": {"type": "string", "description": "The id of the provider, or anonymous for an anonymous account, which has none of the members below."},
                  "provider_uid": {"type": "string"},
                  "audience_proof": {"$ref": "#/components/schemas/AudienceProof"},
                  "profile": {"$ref": "#/components/schemas/Profile"},
                  "oauth": {"$ref": "#/components/schemas/ProviderTokens"},
                  "provider_profile": {"$ref": "#/components/schemas/ProviderProfile"},
                  "provider_profile_omitted": {"$ref": "#/components/schemas/ProviderProfileOmitted"}
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
              "ProviderProfile": {
                "type": "object",
                "description": "The provider's own answer about the person, up to 16 KiB and without tokens. Only if return_provider_profile is set for the client.",
                "properties": {
                  "userinfo": {"type": "object", "description": "The response of the userinfo endpoint; for X the data of /2/users/me, or the response of account/verify_credentials.json. Absent if the provider was not asked."},
                  "id_token": {"type": "object", "description": "The claims of the ID token, without nonce."}
                }
              },
              "ProviderProfileOmitted": {"const": true, "description": "The provider's answer is longer than 16 KiB, so that provider_profile is absent. Call the provider for it."},
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
                  "reason": {"description": "The stable name of the cause, independent of error_description.", "enum": [\#(reasons)], "x-reasons": \#(reasonTableText)},
                  "parameter": {"type": "string", "maxLength": 64, "description": "With parameter_not_allowed and reserved_parameter: the name of the parameter to omit."},
                  "message": {"type": "string", "maxLength": 300, "description": "With blocked_by_hook: the text of the operator for the user, as plain text. Absent if the operator sends none."},
                  "code": {"type": "string", "description": "An error code of the Firebase client SDKs, such as auth/invalid-credential."},
                  "request_id": {"type": "string"},
                  "retry": {"enum": ["same", "restart"], "description": "With 429 and 5xx, and with issued_unwatched. same: send the same request again. restart: sign in at the provider again. provider_refuses_us has none, because the operator must act first."},
                  "pending_credential": {"type": "string", "minLength": 43, "maxLength": 43, "description": "With credential_already_in_use, account_exists_with_different_credential and second_factor_required: a random handle for the identity of the credential, which is spent. The handle is valid once and for ten minutes; with second_factor_required for five minutes and five codes. It expires early if the identity moves to another account."},
                  "factors": {"type": "array", "items": {"enum": ["totp", "recovery_code"]}, "description": "With second_factor_required and a pending_credential: the kinds of codes with which the sign-in continues at /v1/exchange."},
                  "email": {"type": "string", "description": "With account_exists_with_different_credential."},
                  "existing_uid": {"type": "string", "minLength": 1, "maxLength": 128, "description": "With credential_already_in_use: the uid of the account that has the identity, so that the application can move its data before it merges the accounts."},
                  "providers": {"type": "array", "items": {"type": "string"}, "description": "With account_exists_with_different_credential: sign in with one of these, then send the pending_credential to /v1/account/link."}
                }
              }
        """#

    private static let reasons = Reason.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")

    private static let reasonTableText = String(decoding: reasonTable.serialized(), as: UTF8.self)

    /// The schema of `POST /v1/exchange`: all credential types with their members.
    static let exchangeSchema = #"""
              "ExchangeRequest": {
                "type": "object",
                "additionalProperties": false,
                "required": ["client_id", "provider", "credential"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"},
                  "credential": {
                    "oneOf": [
                      {
                        "type": "object", "additionalProperties": false, "required": ["type", "code", "redirect_uri"],
                        "properties": {
                          "type": {"const": "authorization_code"},
                          "code": {"type": "string", "minLength": 1, "maxLength": 4096},
                          "redirect_uri": {"type": "string", "description": "Exactly one of the client's provider_redirect_uris."},
                          "code_verifier": {"type": "string", "minLength": 43, "maxLength": 128, "description": "Required, unless the provider is configured without PKCE: then it must be omitted."},
                          "nonce": {"type": "string", "description": "The nonce that was sent to the provider. Required with OpenID Connect."}
                        }
                      },
                      {
                        "type": "object", "additionalProperties": false, "required": ["type", "id_token", "nonce"],
                        "properties": {
                          "type": {"const": "id_token"},
                          "id_token": {"type": "string", "minLength": 1},
                          "nonce": {"type": "string", "description": "The nonce_verifier of /v1/nonce, unless the provider is configured otherwise."},
                          "access_token": {"type": "string", "description": "Used to read the profile. The ID token must contain its at_hash."}
                        }
                      },
                      {
                        "type": "object", "additionalProperties": false, "required": ["type", "oauth_token", "oauth_token_secret", "nonce"],
                        "properties": {
                          "type": {"const": "oauth1_token"},
                          "oauth_token": {"type": "string", "minLength": 1},
                          "oauth_token_secret": {"type": "string", "minLength": 1},
                          "nonce": {"type": "string", "description": "A fresh nonce_verifier of /v1/nonce."}
                        }
                      },
                      {
                        "type": "object", "additionalProperties": false, "required": ["type", "access_token", "nonce"],
                        "properties": {
                          "type": {"const": "access_token"},
                          "access_token": {"type": "string", "minLength": 1},
                          "nonce": {"type": "string", "description": "A fresh nonce_verifier of /v1/nonce."}
                        }
                      },
                      {
                        "type": "object", "additionalProperties": false, "required": ["type", "session", "callback_url"],
                        "properties": {
                          "type": {"const": "callback"},
                          "session": {"type": "string", "minLength": 1},
                          "callback_url": {"type": "string", "minLength": 1}
                        }
                      },
                      {
                        "type": "object", "additionalProperties": false, "required": ["type", "pending_credential"],
                        "properties": {
                          "type": {"const": "pending"},
                          "pending_credential": {"type": "string", "minLength": 1, "description": "The handle from a 409 of /v1/account/link for a credential that the application sent itself. It signs in to the account that has the identity. A handle from a flow with intent=link is refused (intent_mismatch)."}
                        }
                      }
                    ]
                  }
                }
              }
        """#
}
