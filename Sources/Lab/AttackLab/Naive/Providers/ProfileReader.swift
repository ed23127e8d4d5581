internal import Jansson

/// Reads the members of a profile from a provider's JSON.
enum ProfileReader {
    /// Reads the standard claims (OpenID Connect Core section 5.1).
    static func openIDConnect(_ claims: JSON) -> [String: JSON] {
        var profile = texts(
            claims,
            [
                "name": "name", "given_name": "given_name", "family_name": "family_name", "email": "email",
                "picture": "picture", "locale": "locale", "screen_name": "preferred_username",
            ])
        if profile["email"] != nil { profile["email_verified"] = .bool(claims["email_verified"]?.bool ?? false) }
        return profile
    }

    /// Reads X's profile.
    ///
    /// X returns only confirmed addresses.
    static func x(_ answer: JSON) -> [String: JSON] {
        let old = texts(
            answer,
            [
                "name": "name", "email": "email", "picture": "profile_image_url_https", "screen_name": "screen_name",
            ])
        let new = texts(
            answer, ["email": "confirmed_email", "picture": "profile_image_url", "screen_name": "username"])
        var profile = old.merging(new) { one, _ in one }
        if profile["email"] != nil { profile["email_verified"] = .bool(true) }
        return profile
    }

    private static func texts(_ answer: JSON, _ names: [String: String]) -> [String: JSON] {
        names.compactMapValues { name in
            guard let text = answer[name]?.string, (1...2048).contains(text.utf8.count) else { return nil }
            return .string(text)
        }
    }
}
