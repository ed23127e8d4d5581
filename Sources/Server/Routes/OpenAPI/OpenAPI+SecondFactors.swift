extension OpenAPI {
    /// The paths of the endpoints for second factors.
    static let factorPaths = #"""
            "/v1/account/factors": {
              "get": {
                "operationId": "factors",
                "summary": "Lists the second factors of the account. Requires a recent sign-in.",
                "security": [{"FirebaseIDToken": []}],
                "parameters": [{"in": "query", "name": "client_id", "schema": {"$ref": "#/components/schemas/ClientID"}}],
                "responses": {
                  "200": {"description": "The confirmed factors.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FactorList"}}}}
                }
              },
              "post": {
                "operationId": "add_factor",
                "summary": "Begins to add an authenticator application as a second factor. Requires a recent sign-in, and with a code if the account has a factor.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FactorRequest"}}}},
                "responses": {
                  "200": {"description": "The factor counts only after it was confirmed.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BegunFactor"}}}}
                }
              }
            },
            "/v1/account/factors/confirm": {
              "post": {
                "operationId": "confirm_factor",
                "summary": "Confirms a factor by its first code, and replaces the recovery codes of the account.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FactorConfirmation"}}}},
                "responses": {
                  "200": {"description": "Show the codes to the user; the server does not return them again.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RecoveryCodes"}}}}
                }
              }
            },
            "/v1/account/factors/remove": {
              "post": {
                "operationId": "remove_factor",
                "summary": "Removes a factor. Requires a recent sign-in and a code. With the last factor the recovery codes are removed too.",
                "security": [{"FirebaseIDToken": []}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FactorRemoval"}}}},
                "responses": {
                  "200": {"description": "Removed.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Removed"}}}}
                }
              }
            }
        """#

    /// The schemas of second factors.
    static let factorSchemas = #"""
              "TOTP": {"type": "string", "pattern": "^[0-9]{6}$", "description": "A code of the authenticator application (RFC 6238), valid once."},
              "RecoveryCode": {"type": "string", "maxLength": 64, "pattern": "^[ -]*([A-Za-z2-7][ -]*){16}$", "examples": ["ABCD-EFGH-IJKL-MNOP"], "description": "Valid once. Letter case, spaces and hyphens do not matter."},
              "SecondFactorRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id", "credential"],
                "description": "The second half of a sign-in that was refused with second_factor_required. Requires either totp or recovery_code.",
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "provider": {"$ref": "#/components/schemas/ProviderID", "description": "Not needed. It must be the one of the first half."},
                  "credential": {"$ref": "#/components/schemas/SecondFactorCredential"}
                }
              },
              "SecondFactorCredential": {
                "type": "object", "additionalProperties": false, "required": ["type", "pending_credential"],
                "minProperties": 3, "maxProperties": 3,
                "properties": {
                  "type": {"type": "string", "const": "second_factor"},
                  "pending_credential": {\#(text(upTo: 16384)), "description": "The handle of the refusal, valid for five minutes and five codes."},
                  "totp": {"$ref": "#/components/schemas/TOTP"},
                  "recovery_code": {"$ref": "#/components/schemas/RecoveryCode"}
                }
              },
              "FactorRequest": {
                "type": "object", "additionalProperties": false, "required": ["client_id", "type"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "type": {"type": "string", "const": "totp"},
                  "name": {\#(text(upTo: 128)), "description": "The name that the user gives the factor."}
                }
              },
              "BegunFactor": {
                "type": "object", "required": ["factor_id", "secret", "otpauth_uri", "expires_in"],
                "properties": {
                  "factor_id": {"type": "string", "minLength": 1, "maxLength": 64},
                  "secret": {"type": "string", "pattern": "^[A-Z2-7]+$", "description": "In base32 (RFC 4648), for a user who types it."},
                  "otpauth_uri": {"type": "string", "format": "uri", "description": "For a QR code."},
                  "expires_in": {"type": "integer", "description": "Seconds in which the factor must be confirmed."}
                }
              },
              "FactorConfirmation": {
                "type": "object", "additionalProperties": false, "required": ["client_id", "factor_id", "totp"],
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "factor_id": {\#(text(upTo: 64))},
                  "totp": {"$ref": "#/components/schemas/TOTP"}
                }
              },
              "RecoveryCodes": {
                "type": "object", "required": ["recovery_codes"],
                "properties": {"recovery_codes": {"type": "array", "items": {"$ref": "#/components/schemas/RecoveryCode"}, "minItems": 10, "maxItems": 10}}
              },
              "FactorRemoval": {
                "type": "object", "additionalProperties": false, "required": ["client_id", "factor_id"],
                "minProperties": 3, "maxProperties": 3,
                "description": "Requires either totp or recovery_code.",
                "properties": {
                  "client_id": {"$ref": "#/components/schemas/ClientID"},
                  "factor_id": {\#(text(upTo: 64))},
                  "totp": {"$ref": "#/components/schemas/TOTP"},
                  "recovery_code": {"$ref": "#/components/schemas/RecoveryCode"}
                }
              },
              "Removed": {"type": "object", "additionalProperties": false, "description": "An object without members."},
              "FactorList": {
                "type": "object", "required": ["factors", "recovery_codes_left"],
                "properties": {
                  "factors": {
                    "type": "array",
                    "items": {
                      "type": "object", "required": ["factor_id", "type", "created_at"],
                      "properties": {
                        "factor_id": {"type": "string", "minLength": 1, "maxLength": 64}, "type": {"type": "string", "const": "totp"}, "name": {"type": "string"},
                        "created_at": {"type": "integer"}, "last_used_at": {"type": "integer"}
                      }
                    }
                  },
                  "recovery_codes_left": {"type": "integer", "minimum": 0, "maximum": 10}
                }
              }
        """#
}
