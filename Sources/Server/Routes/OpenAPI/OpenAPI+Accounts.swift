extension OpenAPI {
    /// The paths of accounts, as they stand among the others.
    static let accountPaths = #"""
            "/v1/anonymous": {
              "post": {
                "operationId": "anonymous",
                "summary": "A new anonymous account, without any identity.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AnonymousRequest"}}}},
                "responses": {
                  "200": {"description": "Signed in.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomTokenResponse"}}}}
                }
              }
            },
            "/v1/account": {
              "get": {
                "operationId": "account",
                "summary": "The account of the user.",
                "security": [{"FirebaseIDToken": []}],
                "parameters": [{"in": "query", "name": "client_id", "schema": {"$ref": "#/components/schemas/ClientID"}}],
                "responses": {
                  "200": {"description": "The account.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Account"}}}}
                }
              },
              "delete": {
                "operationId": "delete_account",
                "summary": "Removes the account for good; needs a recent sign-in.",
                "security": [{"FirebaseIDToken": []}],
                "parameters": [{"in": "query", "name": "client_id", "schema": {"$ref": "#/components/schemas/ClientID"}}],
                "responses": {
                  "200": {"description": "Removed.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/DeletionResponse"}}}}
                }
              }
            },
            "/v1/account/link": {
              "post": {
                "operationId": "link",
                "summary": "Joins an identity to the account of the user.",
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
                "summary": "Takes an identity from the account of the user.",
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
                "summary": "A fresh custom token for a person who signs in once more, by a code, a callback, an ID token or a handoff code.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LinkRequest"}}}},
                "responses": {
                  "200": {"description": "Signed in anew; the token has the claim reauth_time, or reauth_method if the provider tells no time.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomTokenResponse"}}}}
                }
              }
            },
            "/v1/account/merge": {
              "post": {
                "operationId": "merge",
                "summary": "Takes over the identities of another account of the same person.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MergeRequest"}}}},
                "responses": {
                  "200": {"description": "Merged; the other account is no more.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MergeResponse"}}}}
                }
              }
            },
            "/v1/account/signout": {
              "post": {
                "operationId": "signout",
                "summary": "Ends the sessions of the user at Firebase, if it is the directory, and a token at its provider.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignOutRequest"}}}},
                "responses": {
                  "200": {"description": "Signed out.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignOutResponse"}}}}
                }
              }
            }
        """#

    /// Their schemas.
    static let accountSchemas = #"""
              "AnonymousRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id"],
                "properties": {"client_id": {"$ref": "#/components/schemas/ClientID"}}
              },
              "LinkRequest": {
                "description": "As ExchangeRequest, or with a handoff code of a flow that was begun with the same intent.",
                "oneOf": [
                  {"$ref": "#/components/schemas/ExchangeRequest"},
                  {
                    "type": "object", "additionalProperties": false, "required": ["client_id", "credential"],
                    "properties": {
                      "client_id": {"$ref": "#/components/schemas/ClientID"},
                      "credential": {
                        "type": "object", "additionalProperties": false, "required": ["type", "code", "redirect_uri", "code_verifier"],
                        "properties": {
                          "type": {"const": "handoff"},
                          "code": {"type": "string", "minLength": 1, "maxLength": 4096},
                          "redirect_uri": {"type": "string"},
                          "code_verifier": {"type": "string", "minLength": 43, "maxLength": 128}
                        }
                      }
                    }
                  }
                ]
              },
              "UnlinkRequest": {
                "type": "object", "additionalProperties": false, "required": ["provider"],
                "properties": {"provider": {"$ref": "#/components/schemas/ProviderID"}, "client_id": {"$ref": "#/components/schemas/ClientID"}}
              },
              "MergeRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id"],
                "description": "With one of the two proofs.",
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "from_id_token": {"type": "string", "minLength": 1, "description": "A recent Firebase ID token of the other account, good for this once."},
                  "pending_credential": {"type": "string", "minLength": 1, "description": "The handle of the 409 in which linking ended, posted by the account that provoked it."}
                }
              },
              "SignOutRequest": {
                "type": "object", "additionalProperties": false,
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"},
                  "token": {"type": "string", "minLength": 1, "description": "Of that provider, which is told to end it (RFC 7009)."}
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
                      "type": "object", "required": ["provider", "provider_uid", "linked_at", "last_used_at"],
                      "properties": {
                        "provider": {"type": "string"}, "provider_uid": {"type": "string"},
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
                "type": "object", "required": ["account", "provider", "provider_uid", "audience_proof", "profile"],
                "properties": {
                  "account": {"$ref": "#/components/schemas/Account"},
                  "provider": {"$ref": "#/components/schemas/ProviderID"},
                  "provider_uid": {"type": "string"},
                  "audience_proof": {"$ref": "#/components/schemas/AudienceProof"},
                  "profile": {"$ref": "#/components/schemas/Profile"},
                  "oauth": {"$ref": "#/components/schemas/ProviderTokens"}
                }
              },
              "FirebaseUser": {
                "enum": ["deleted", "kept", "none"],
                "description": "What became of the Firebase user of the account that is no more: deleted; kept, since the service account may not delete it; or there was none."
              },
              "DeletionResponse": {
                "type": "object", "required": ["firebase_user"], "properties": {"firebase_user": {"$ref": "#/components/schemas/FirebaseUser"}}
              },
              "MergeResponse": {
                "type": "object", "required": ["account", "firebase_user"],
                "properties": {
                  "account": {"$ref": "#/components/schemas/Account"},
                  "merged_uid": {"type": "string", "description": "The account that is no more."},
                  "firebase_user": {"$ref": "#/components/schemas/FirebaseUser"}
                }
              }
        """#
}
