extension OpenAPI {
    /// The schemas of the credentials that an application sends, and of the requests that contain them.
    static let credentialSchemas = #"""
              "ExchangeBody": {
                "description": "A credential of a provider, the pending credential of a conflict, or the code of a second factor.",
                "oneOf": [
                  {"$ref": "#/components/schemas/ExchangeRequest"},
                  {"$ref": "#/components/schemas/PendingRequest"},
                  {"$ref": "#/components/schemas/SecondFactorRequest"}
                ]
              },
              "ExchangeRequest": {
                "type": "object",
                "additionalProperties": false,
                "required": ["client_id", "provider", "credential"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"},
                  "credential": {"$ref": "#/components/schemas/Credential"}
                }
              },
              "PendingRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id", "credential"],
                "description": "The pending credential stands for its provider. If the request names one, it must be the same.",
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"},
                  "credential": {"$ref": "#/components/schemas/PendingCredential"}
                }
              },
              "Credential": {
                "oneOf": [
                  {"$ref": "#/components/schemas/AuthorizationCodeCredential"},
                  {"$ref": "#/components/schemas/IDTokenCredential"},
                  {"$ref": "#/components/schemas/OAuth1TokenCredential"},
                  {"$ref": "#/components/schemas/AccessTokenCredential"},
                  {"$ref": "#/components/schemas/CallbackCredential"}
                ],
                "discriminator": {
                  "propertyName": "type",
                  "mapping": {
                    "authorization_code": "#/components/schemas/AuthorizationCodeCredential",
                    "id_token": "#/components/schemas/IDTokenCredential",
                    "oauth1_token": "#/components/schemas/OAuth1TokenCredential",
                    "access_token": "#/components/schemas/AccessTokenCredential",
                    "callback": "#/components/schemas/CallbackCredential"
                  }
                }
              },
              "AuthorizationCodeCredential": {
                "type": "object", "additionalProperties": false, "required": ["type", "code", "redirect_uri"],
                "properties": {
                  "type": {"type": "string", "const": "authorization_code"},
                  "code": {\#(text(upTo: 4096))},
                  "redirect_uri": {\#(text(upTo: 2048)), "description": "Exactly one of the client's provider_redirect_uris."},
                  "code_verifier": {"$ref": "#/components/schemas/CodeVerifier"},
                  "nonce": {\#(text(upTo: 2048)), "description": "The nonce that was sent to the provider. Required with OpenID Connect."}
                }
              },
              "IDTokenCredential": {
                "type": "object", "additionalProperties": false, "required": ["type", "id_token", "nonce"],
                "properties": {
                  "type": {"type": "string", "const": "id_token"},
                  "id_token": {\#(text(upTo: 32768))},
                  "nonce": {\#(text(upTo: 2048)), "description": "The nonce_verifier of /v1/nonce, unless the provider is configured otherwise."},
                  "access_token": {\#(text(upTo: 16384)), "description": "Used to read the profile. The ID token must contain its at_hash."}
                }
              },
              "OAuth1TokenCredential": {
                "type": "object", "additionalProperties": false, "required": ["type", "oauth_token", "oauth_token_secret", "nonce"],
                "properties": {
                  "type": {"type": "string", "const": "oauth1_token"},
                  "oauth_token": {\#(text(upTo: 2048))},
                  "oauth_token_secret": {\#(text(upTo: 2048))},
                  "nonce": {\#(text(upTo: 2048)), "description": "A fresh nonce_verifier of /v1/nonce."}
                }
              },
              "AccessTokenCredential": {
                "type": "object", "additionalProperties": false, "required": ["type", "access_token", "nonce"],
                "properties": {
                  "type": {"type": "string", "const": "access_token"},
                  "access_token": {\#(text(upTo: 16384))},
                  "nonce": {\#(text(upTo: 2048)), "description": "A fresh nonce_verifier of /v1/nonce."}
                }
              },
              "CallbackCredential": {
                "type": "object", "additionalProperties": false, "required": ["type", "session", "callback_url"],
                "properties": {
                  "type": {"type": "string", "const": "callback"},
                  "session": {\#(text(upTo: 16384))},
                  "callback_url": {\#(text(upTo: 16384)), "description": "The complete URL that the application received."}
                }
              },
              "PendingCredential": {
                "type": "object", "additionalProperties": false, "required": ["type", "pending_credential"],
                "properties": {
                  "type": {"type": "string", "const": "pending"},
                  "pending_credential": {\#(text(upTo: 16384)), "description": "The handle from a 409 of /v1/account/link for a credential that the application sent itself. It signs in to the account that has the identity. A handle from a flow with intent=link is refused (intent_mismatch)."}
                }
              },
              "LinkRequest": {
                "description": "An ExchangeRequest, the pending credential of a conflict, or a handoff code of a flow with the intent of this endpoint.",
                "oneOf": [
                  {"$ref": "#/components/schemas/ExchangeRequest"},
                  {"$ref": "#/components/schemas/PendingRequest"},
                  {"$ref": "#/components/schemas/HandoffRequest"}
                ]
              },
              "HandoffRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id", "credential"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "credential": {"$ref": "#/components/schemas/HandoffCredential"}
                }
              },
              "HandoffCredential": {
                "type": "object", "additionalProperties": false, "required": ["type", "code", "redirect_uri", "code_verifier"],
                "properties": {
                  "type": {"type": "string", "const": "handoff"},
                  "code": {\#(text(upTo: 4096))},
                  "redirect_uri": {\#(text(upTo: 2048))},
                  "code_verifier": {"$ref": "#/components/schemas/CodeVerifier"}
                }
              },
              "CodeVerifier": {"type": "string", "minLength": 43, "maxLength": 128, "pattern": "^[A-Za-z0-9._~-]*$", "description": "RFC 7636 section 4.1. With a code of a provider it is required, unless the provider is configured without PKCE: then it must be omitted."},
              "CodeChallenge": {"type": "string", "pattern": "\#(octets32)", "description": "The base64url of 32 octets (RFC 7636 section 4.2)."}
        """#
}
