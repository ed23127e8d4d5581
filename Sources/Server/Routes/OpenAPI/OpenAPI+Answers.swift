extension OpenAPI {
    /// Examples of successful responses by the `operationId` of their operation.
    ///
    /// The tokens are no secrets: none of them has a signature that a key of any service has made.
    static let answers = #"""
        {
          "exchange": {
            "signed in": {"value": \#(signedIn)},
            "with the tokens of the provider": {"value":
              {"custom_token": "\#(customToken)", "expires_in": 300,
               "uid": "twitter.com:2244994945", "is_new_user": false, "provider": "twitter.com",
               "provider_uid": "2244994945", "audience_proof": "consumer_signature",
               "profile": {"name": "Alice Example", "screen_name": "alice_example"},
               "oauth": {"access_token": "2244994945-ACCESS-TOKEN", "oauth_token_secret": "TOKEN-SECRET"}}},
            "with Firebase's tokens": {"value":
              {"firebase_id_token": "\#(idToken)", "firebase_refresh_token": "FIREBASE-REFRESH-TOKEN",
               "firebase_expires_in": 3600, "expires_in": 3600,
               "uid": "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", "is_new_user": false, "provider": "yahoo.com",
               "provider_uid": "ALICEWJNWVNQD4GXZ5NGMZUST4", "audience_proof": "id_token_aud", "profile": {}}}
          },
          "signin": {
            "begun": {"value":
              {"authorization_url": "https://api.login.yahoo.com/oauth2/request_auth?client_id=YAHOO-CLIENT-ID&response_type=code&state=STATE",
               "session": "SESSION", "expires_in": 600}}
          },
          "nonce": {
            "issued": {"value":
              {"nonce": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "nonce_verifier": "NONCE-VERIFIER",
               "expires_in": 600}}
          },
          "anonymous": {
            "signed in": {"value":
              {"custom_token": "\#(customToken)", "expires_in": 300,
               "uid": "anonymous:6oV1uGlTzC0rT8o0Lw5fQA", "is_new_user": true, "provider": "anonymous"}}
          },
          "account": {"account": {"value": \#(account)}},
          "delete_account": {"deleted": {"value": {"firebase_user": "deleted"}}},
          "link": {
            "linked": {"value":
              {"account": \#(account), "custom_token": "\#(customToken)", "expires_in": 300,
               "uid": "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", "is_new_user": false, "provider": "twitter.com",
               "provider_uid": "2244994945", "audience_proof": "authorization_code",
               "profile": {"name": "Alice Example", "screen_name": "alice_example"}}}
          },
          "unlink": {"unlinked": {"value": {"account": \#(account)}}},
          "reauthenticate": {"signed in again": {"value": \#(signedIn)}},
          "merge": {
            "merged": {"value":
              {"account": \#(account), "custom_token": "\#(customToken)", "expires_in": 300,
               "merged_uid": "twitter.com:2244994945", "firebase_user": "deleted"}}
          },
          "signout": {"signed out": {"value": {"sessions_revoked": true, "token_revoked": false}}},
          "provider_token": {
            "refreshed": {"value":
              {"oauth": {"access_token": "YAHOO-ACCESS-TOKEN", "refresh_token": "YAHOO-REFRESH-TOKEN", "expires_in": 3600}}}
          },
          "factors": {
            "confirmed": {"value":
              {"factors": [{"factor_id": "IQdLPpBcQ-6PVB4JWQXcRg", "type": "totp", "name": "Phone",
                            "created_at": 1700000000, "last_used_at": 1700003600}],
               "recovery_codes_left": 10}}
          },
          "add_factor": {
            "begun": {"value":
              {"factor_id": "IQdLPpBcQ-6PVB4JWQXcRg", "secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
               "otpauth_uri": "otpauth://totp/Example:Alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example",
               "expires_in": 600}}
          },
          "confirm_factor": {
            "confirmed": {"value":
              {"recovery_codes": ["ABCD-EFGH-IJKL-MNOP", "BCDE-FGHI-JKLM-NOPQ", "CDEF-GHIJ-KLMN-OPQR", "DEFG-HIJK-LMNO-PQRS",
                                  "EFGH-IJKL-MNOP-QRST", "FGHI-JKLM-NOPQ-RSTU", "GHIJ-KLMN-OPQR-STUV", "HIJK-LMNO-PQRS-TUVW",
                                  "IJKL-MNOP-QRST-UVWX", "JKLM-NOPQ-RSTU-VWXY"]}}
          },
          "remove_factor": {"removed": {"value": {}}},
          "token": {
            "handoff code": {"value":
              {"access_token": "\#(customToken)", "token_type": "Bearer", "expires_in": 300,
               "uid": "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", "is_new_user": false, "provider": "yahoo.com",
               "provider_uid": "ALICEWJNWVNQD4GXZ5NGMZUST4", "audience_proof": "authorization_code",
               "profile": {"name": "Alice Example"}}},
            "subject token": {"value":
              {"access_token": "\#(customToken)", "token_type": "N_A",
               "issued_token_type": "urn:ietf:params:oauth:token-type:jwt", "expires_in": 300,
               "uid": "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", "is_new_user": false, "provider": "yahoo.com",
               "provider_uid": "ALICEWJNWVNQD4GXZ5NGMZUST4", "audience_proof": "id_token_aud",
               "profile": {"name": "Alice Example"}}}
          },
          "par": {
            "stored": {"value":
              {"request_uri": "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c", "expires_in": 90}}
          },
          "device_authorization": {
            "begun": {"value":
              {"device_code": "SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA", "user_code": "WDJB-MJHT",
               "verification_uri": "https://signin.example/device",
               "verification_uri_complete": "https://signin.example/device?user_code=WDJB-MJHT",
               "expires_in": 600, "interval": 5}}
          },
          "metadata": {"metadata": {"value": \#(metadata)}},
          "openid_configuration": {"metadata": {"value": \#(metadata)}},
          "openapi": {
            "description": {"value":
              {"openapi": "3.1.0", "info": {"title": "token-exchange", "version": "0.1.0"}, "paths": {}}}
          }
        }
        """#

    /// `{"alg": "RS256", "typ": "JWT"}` and `{"uid": "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"}`, with three octets of zero.
    private static let customToken =
        "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJ1aWQiOiJ5YWhvby5jb206QUxJQ0VXSk5XVk5RRDRHWFo1TkdNWlVTVDQifQ.AAAA"

    /// `{"alg": "RS256"}` and `{}`, with three octets of zero.
    private static let idToken = "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"

    private static let signedIn = #"""
        {"custom_token": "\#(customToken)", "expires_in": 300,
         "uid": "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", "is_new_user": true, "provider": "yahoo.com",
         "provider_uid": "ALICEWJNWVNQD4GXZ5NGMZUST4", "audience_proof": "authorization_code",
         "profile": {"name": "Alice Example", "given_name": "Alice", "family_name": "Example",
                     "email": "alice@yahoo.example", "email_verified": true}}
        """#

    private static let account = #"""
        {"uid": "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", "anonymous": false, "created_at": 1700000000,
         "identities": [{"provider": "yahoo.com", "provider_uid": "ALICEWJNWVNQD4GXZ5NGMZUST4", "managed_by": "us",
                         "email": "alice@yahoo.example", "name": "Alice Example",
                         "linked_at": 1700000000, "last_used_at": 1700002800}]}
        """#

    private static let metadata = #"""
        {"issuer": "https://signin.example", "authorization_endpoint": "https://signin.example/authorize",
         "token_endpoint": "https://signin.example/token",
         "pushed_authorization_request_endpoint": "https://signin.example/par",
         "token_endpoint_auth_methods_supported": ["none"], "grant_types_supported": ["authorization_code"],
         "response_types_supported": ["code"], "response_modes_supported": ["query", "form_post", "web_message"],
         "code_challenge_methods_supported": ["S256"], "scopes_supported": ["profile", "email"],
         "authorization_response_iss_parameter_supported": true,
         "service_documentation": "https://signin.example/openapi.json"}
        """#
}
