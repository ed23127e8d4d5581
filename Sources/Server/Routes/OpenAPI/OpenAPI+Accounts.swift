extension OpenAPI {
    /// The paths of the account endpoints.
    static let accountPaths = #"""
            "/v1/anonymous": {
              "post": {
                "operationId": "anonymous",
                "summary": "Creates an anonymous account, which has no identity.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnonymousRequest"}}}},
                "responses": {
                  "200": {"description": "Signed in.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomTokenResponse"}}}}
                }
              }
            },
            "/v1/account": {
              "get": {
                "operationId": "account",
                "summary": "Returns the account of the user.",
                "security": [{"FirebaseIDToken": []}],
                "parameters": [{"in": "query", "name": "client_id", "schema": {"$ref": "#/components/schemas/ClientID"}}],
                "responses": {
                  "200": {"description": "The account.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Account"}}}}
                }
              },
              "delete": {
                "operationId": "delete_account",
                "summary": "Deletes the account permanently. Requires a recent sign-in.",
                "security": [{"FirebaseIDToken": []}],
                "parameters": [{"in": "query", "name": "client_id", "schema": {"$ref": "#/components/schemas/ClientID"}}],
                "responses": {
                  "200": {"description": "Deleted.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/DeletionResponse"}}}}
                }
              }
            },
            "/v1/account/link": {
              "post": {
                "operationId": "link",
                "summary": "Links an identity to the account of the user.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LinkRequest"}}}},
                "responses": {
                  "200": {"description": "Linked.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LinkResponse"}}}}
                }
              }
            },
            "/v1/account/unlink": {
              "post": {
                "operationId": "unlink",
                "summary": "Unlinks an identity from the account of the user.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UnlinkRequest"}}}},
                "responses": {
                  "200": {"description": "Unlinked.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AccountResponse"}}}}
                }
              }
            },
            "/v1/account/reauthenticate": {
              "post": {
                "operationId": "reauthenticate",
                "summary": "Issues a new custom token to a user who signs in again with a code, a callback, an ID token or a handoff code.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LinkRequest"}}}},
                "responses": {
                  "200": {"description": "Signed in again. The token has the claim reauth_time, or reauth_method if the provider does not report the time of the sign-in.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomTokenResponse"}}}}
                }
              }
            },
            "/v1/account/merge": {
              "post": {
                "operationId": "merge",
                "summary": "Moves the identities of another account of the user into this account and deletes the other account.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MergeRequest"}}}},
                "responses": {
                  "200": {"description": "Merged; the other account is deleted.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MergeResponse"}}}}
                }
              }
            },
            "/v1/account/signout": {
              "post": {
                "operationId": "signout",
                "summary": "Revokes the Firebase sessions of the user, if the service account may, and optionally a token of a provider.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignOutRequest"}}}},
                "responses": {
                  "200": {"description": "Signed out.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignOutResponse"}}}}
                }
              }
            },
            "/v1/provider-token": {
              "post": {
                "operationId": "provider_token",
                "summary": "Refreshes the provider's tokens of an identity that is linked to the account of the user. Nothing is stored.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProviderTokenRequest"}}}},
                "responses": {
                  "200": {"description": "Fresh tokens. If they contain a refresh_token, it replaces the old one.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ProviderTokenResponse"}}}}
                }
              }
            },
        \#(factorPaths)
        """#

    /// The schemas of the account endpoints.
    static let accountSchemas = #"""
        \#(factorSchemas),
              "AnonymousRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id"],
                "properties": {"client_id": {"$ref": "#/components/schemas/ClientID"}}
              },
              "UnlinkRequest": {
                "type": "object", "additionalProperties": false, "required": ["provider"],
                "properties": {"provider": {"$ref": "#/components/schemas/ProviderID"}, "client_id": {"$ref": "#/components/schemas/ClientID"}}
              },
              "MergeRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id"],
                "minProperties": 2, "maxProperties": 2,
                "description": "Requires either from_id_token or pending_credential.",
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "from_id_token": {\#(text(upTo: 16384)), "description": "A recent Firebase ID token of the other account, valid once."},
                  "pending_credential": {\#(text(upTo: 16384)), "description": "The handle from the 409 of a link request. Only the account that sent the link request may use it."}
                }
              },
              "ProviderTokenRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id", "provider", "refresh_token"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"},
                  "refresh_token": {\#(text(upTo: 16384)), "description": "A refresh token of that provider, which was issued to this deployment."}
                }
              },
              "ProviderTokenResponse": {
                "type": "object", "required": ["oauth"],
                "properties": {"oauth": {"$ref": "#/components/schemas/ProviderTokens"}}
              },
              "SignOutRequest": {
                "type": "object", "additionalProperties": false,
                "dependentRequired": {"provider": ["token"], "token": ["provider"]},
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"},
                  "token": {\#(text(upTo: 16384)), "description": "A token of that provider, which the server revokes there (RFC 7009)."}
                }
              },
              "SignOutResponse": {
                "type": "object", "required": ["sessions_revoked", "token_revoked"],
                "properties": {"sessions_revoked": {"type": "boolean"}, "token_revoked": {"type": "boolean"}}
              },
              "Account": {
                "type": "object", "required": ["uid", "anonymous", "created_at", "identities"],
                "properties": {
                  "uid": {"type": "string", "minLength": 1, "maxLength": 128},
                  "anonymous": {"type": "boolean"},
                  "created_at": {"type": "integer", "description": "Seconds since 1970-01-01T00:00:00Z, like the other times."},
                  "identities": {
                    "type": "array",
                    "items": {
                      "type": "object", "required": ["provider", "managed_by"],
                      "properties": {
                        "provider": {"type": "string", "description": "The id of the provider, as Firebase names it: also password and phone."},
                        "provider_uid": {"type": "string"},
                        "managed_by": {"type": "string", "enum": ["us", "firebase"], "description": "firebase: a provider that only the Firebase SDK can link and unlink. It has no linked_at and no last_used_at."},
                        "email": {"type": "string"}, "name": {"type": "string"}, "picture": {"type": "string"},
                        "linked_at": {"type": "integer"}, "last_used_at": {"type": "integer", "description": "Exact to the hour."}
                      }
                    }
                  }
                }
              },
              "AccountResponse": {
                "type": "object", "required": ["account"], "properties": {"account": {"$ref": "#/components/schemas/Account"}}
              },
              "LinkResponse": {
                "type": "object",
                "description": "The account, and the members of CustomTokenResponse. Sign in with the custom token, so that the session has the claims of the linked identity.",
                "required": ["account", "expires_in", "uid", "is_new_user", "provider", "provider_uid", "audience_proof", "profile"],
                "properties": {
                  "account": {"$ref": "#/components/schemas/Account"},
                  "is_new_user": {"type": "boolean", "enum": [false]},
        \#(tokenProperties),
        \#(identityProperties)
                }
              },
              "FirebaseUser": {
                "type": "string", "enum": ["deleted", "kept", "none"],
                "description": "The Firebase user of the deleted account: deleted; kept, because the service account may not delete it; or none existed."
              },
              "DeletionResponse": {
                "type": "object", "required": ["firebase_user"], "properties": {"firebase_user": {"$ref": "#/components/schemas/FirebaseUser"}}
              },
              "MergeResponse": {
                "type": "object", "required": ["account", "firebase_user", "merged_uid", "expires_in"],
                "properties": {
                  "account": {"$ref": "#/components/schemas/Account"},
        \#(tokenProperties),
                  "merged_uid": {"type": "string", "minLength": 1, "maxLength": 128, "description": "The uid of the deleted account."},
                  "firebase_user": {"$ref": "#/components/schemas/FirebaseUser"}
                }
              }
        """#

    /// The properties of a custom token, or of the Firebase tokens that replace it.
    static let tokenProperties = #"""
                  "custom_token": {"type": "string", "pattern": "\#(jwt)", "description": "For signInWithCustomToken; absent if redeem is set for the client."},
                  "firebase_id_token": {"type": "string", "pattern": "\#(jwt)", "description": "Only if redeem is set for the client, as are the next two."},
                  "firebase_refresh_token": {"type": "string"},
                  "firebase_expires_in": {"type": "integer", "description": "Seconds."},
                  "expires_in": {"type": "integer", "minimum": 1, "maximum": 3600, "description": "Seconds."}
        """#

    /// The properties of an account and of the identity that signed in.
    static let identityProperties = #"""
                  "uid": {"type": "string", "minLength": 1, "maxLength": 128},
                  "provider": {"type": "string", "minLength": 1, "maxLength": 128, "description": "The id of the provider; anonymous for an anonymous account."},
                  "provider_uid": {"type": "string"},
                  "audience_proof": {"$ref": "#/components/schemas/AudienceProof"},
                  "profile": {"$ref": "#/components/schemas/Profile"},
                  "oauth": {"$ref": "#/components/schemas/ProviderTokens"},
                  "provider_profile": {"$ref": "#/components/schemas/ProviderProfile"},
                  "provider_profile_omitted": {"$ref": "#/components/schemas/ProviderProfileOmitted"}
        """#
}
