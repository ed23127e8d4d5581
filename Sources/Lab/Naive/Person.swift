internal import Jansson

/// Somebody at a provider, and how we know.
struct Person: Sendable {
    let provider: String
    let subject: String
    var profile: [String: JSON]
    let proof: String
    /// Of the ID token, where there was one.
    var claims: JSON?

    /// Members of another profile where this one has none; an address keeps its own verdict.
    mutating func complete(by other: [String: JSON]) {
        let keepsEmail = profile["email"] != nil
        for (name, value) in other where profile[name] == nil && !(keepsEmail && name == "email_verified") {
            profile[name] = value
        }
    }
}
