internal import Jansson

/// What an attacker is after.
enum Prize {
    /// What the answer gives away; nil for nothing.
    static func of(_ answer: Answer) -> String? {
        if (200..<300).contains(answer.status), let json = answer.json {
            for (member, name) in members where json[member]?.string != nil { return name }
        }
        // Error responses (RFC 6749 §4.1.2.1) have no code.
        if (300..<400).contains(answer.status), answer.redirected("code") != nil,
            answer.redirected("client_id") == nil
        {
            return "a handoff code"
        }
        return nil
    }

    private static let members = [
        ("custom_token", "a custom token"), ("firebase_id_token", "a Firebase ID token"),
        ("access_token", "a token"), ("merged_uid", "a merged account"),
    ]
}
