extension OpenAPI {
    /// The schema of `POST /v1/exchange`: every credential with its members.
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
                          "code_verifier": {"type": "string", "minLength": 43, "maxLength": 128, "description": "Required unless the provider has pkce off, then refused."},
                          "nonce": {"type": "string", "description": "Required with OpenID Connect: what was sent to the provider."}
                        }
                      },
                      {
                        "type": "object", "additionalProperties": false, "required": ["type", "id_token", "nonce"],
                        "properties": {
                          "type": {"const": "id_token"},
                          "id_token": {"type": "string", "minLength": 1},
                          "nonce": {"type": "string", "description": "The nonce_verifier of /v1/nonce, unless the provider is configured otherwise."},
                          "access_token": {"type": "string", "description": "For the profile; the ID token must hold its at_hash."}
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
                          "pending_credential": {"type": "string", "minLength": 1, "description": "The handle of a 409 of /v1/account/link for a credential that the application posted itself: signs in as the account that holds the identity. The handle of a flow that was begun to link is refused (intent_mismatch)."}
                        }
                      }
                    ]
                  }
                }
              }
        """#
}
