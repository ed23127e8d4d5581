extension OpenAPI {
    /// Examples of requests by the `operationId` of their operation.
    static let examples = #"""
        {
          "exchange": {
        \#(proofs),
            "OAuth 1.0a pair": {"value":
              {"client_id": "my-app", "provider": "twitter.com",
               "credential": {"type": "oauth1_token", "oauth_token": "TOKEN", "oauth_token_secret": "TOKEN-SECRET", "nonce": "NONCE-VERIFIER"}}},
            "access token": {"value":
              {"client_id": "my-app", "provider": "op.example",
               "credential": {"type": "access_token", "access_token": "TOKEN", "nonce": "NONCE-VERIFIER"}}},
            "second factor": {"value":
              {"client_id": "my-app",
               "credential": {"type": "second_factor", "pending_credential": "SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA", "totp": "287082"}}},
        \#(pending)
          },
          "signin": {
            "sign in": {"value":
              {"client_id": "my-app", "provider": "yahoo.com", "redirect_uri": "com.example.app:/yahoo",
               "parameters": {"prompt": "login"}}},
            "link": {"value":
              {"client_id": "my-app", "provider": "twitter.com", "redirect_uri": "com.example.app:/x",
               "intent": "link"}}
          },
          "nonce": {
            "nonce": {"value": {"client_id": "my-app", "provider": "yahoo.com"}}
          },
          "anonymous": {
            "anonymous account": {"value": {"client_id": "my-app"}}
          },
          "link": {
        \#(proofs),
        \#(pending),
        \#(handoff)
          },
          "reauthenticate": {
        \#(proofs),
        \#(handoff)
          },
          "unlink": {
            "unlink": {"value": {"client_id": "my-app", "provider": "twitter.com"}}
          },
          "merge": {
            "Firebase ID token": {"value":
              {"client_id": "my-app", "from_id_token": "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"}},
            "pending credential": {"value":
              {"client_id": "my-app", "pending_credential": "SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA"}}
          },
          "signout": {
            "sessions": {"value": {"client_id": "my-app"}},
            "sessions and a token": {"value":
              {"client_id": "my-app", "provider": "yahoo.com", "token": "YAHOO-REFRESH-TOKEN"}}
          },
          "provider_token": {
            "refresh token": {"value":
              {"client_id": "my-app", "provider": "yahoo.com", "refresh_token": "YAHOO-REFRESH-TOKEN"}}
          },
          "add_factor": {
            "authenticator application": {"value": {"client_id": "my-app", "type": "totp", "name": "Phone"}}
          },
          "confirm_factor": {
            "first code": {"value": {"client_id": "my-app", "factor_id": "IQdLPpBcQ-6PVB4JWQXcRg", "totp": "287082"}}
          },
          "remove_factor": {
            "code": {"value": {"client_id": "my-app", "factor_id": "IQdLPpBcQ-6PVB4JWQXcRg", "totp": "287082"}},
            "recovery code": {"value":
              {"client_id": "my-app", "factor_id": "IQdLPpBcQ-6PVB4JWQXcRg", "recovery_code": "ABCD-EFGH-IJKL-MNOP"}}
          },
          "token": {
            "handoff code": {"value":
              {"grant_type": "authorization_code", "client_id": "my-app",
               "code": "SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA", "redirect_uri": "com.example.app:/oauth",
               "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}},
            "subject token": {"value":
              {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "my-app",
               "subject_token": "eyJhbGciOiJFUzI1NiJ9.e30.AAAA",
               "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "subject_issuer": "yahoo.com",
               "nonce": "NONCE-VERIFIER"}},
            "device code": {"value":
              {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "my-app",
               "device_code": "SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA"}}
          },
          "par": {
            "request": {"value":
              {"client_id": "my-app", "response_type": "code", "redirect_uri": "com.example.app:/oauth",
               "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
               "state": "af0ifjsldkj", "provider": "yahoo.com"}}
          },
          "device_authorization": {
            "device": {"value": {"client_id": "my-app", "provider": "yahoo.com"}}
          },
          "choose": {
            "provider": {"value": {"flow": "FLOW", "provider": "yahoo.com"}},
            "cancel": {"value": {"flow": "FLOW"}}
          },
          "answer_device": {
            "user code": {"value": {"flow": "FLOW", "user_code": "WDJB-MJHT"}},
            "provider": {"value": {"flow": "FLOW", "provider": "yahoo.com"}},
            "approval": {"value": {"flow": "FLOW", "decision": "approve"}}
          }
        }
        """#

    /// Credentials that sign in, link and reauthenticate.
    private static let proofs = #"""
            "authorization code": {"value":
              {"client_id": "my-app", "provider": "yahoo.com",
               "credential": {"type": "authorization_code", "code": "PROVIDER-CODE", "redirect_uri": "com.example.app:/yahoo", "nonce": "n-0S6_WzA2Mj"}}},
            "ID token": {"value":
              {"client_id": "my-app", "provider": "yahoo.com",
               "credential": {"type": "id_token", "id_token": "eyJhbGciOiJFUzI1NiJ9.e30.AAAA", "nonce": "NONCE-VERIFIER"}}},
            "callback": {"value":
              {"client_id": "my-app", "provider": "yahoo.com",
               "credential": {"type": "callback", "session": "SESSION", "callback_url": "com.example.app:/yahoo?code=PROVIDER-CODE&state=STATE"}}}
        """#

    /// The pending credential of a conflict.
    private static let pending = #"""
            "pending credential": {"value":
              {"client_id": "my-app",
               "credential": {"type": "pending", "pending_credential": "SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA"}}}
        """#

    /// The handoff code of a browser flow with an intent.
    private static let handoff = #"""
            "handoff code": {"value":
              {"client_id": "my-app",
               "credential": {"type": "handoff", "code": "SplxlOBeZQQYbYS6WxSbIAAAAAAAAAAAAAAAAAAAAAA", "redirect_uri": "com.example.app:/oauth", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}}}
        """#
}
