/// Names of members and parameters whose values are secret.
enum SecretNames {
    static let all: Set<String> = [
        "access_token", "code", "code_verifier", "custom_token", "device_code", "firebase_id_token",
        "firebase_refresh_token", "from_id_token", "id_token", "nonce", "nonce_verifier", "oauth_token",
        "oauth_token_secret", "pending_credential", "refresh_token", "request_uri", "session", "subject_token",
        "callback_url",
    ]
}
