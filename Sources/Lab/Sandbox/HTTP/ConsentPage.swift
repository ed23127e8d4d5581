/// The page on which a user chooses an account and allows or refuses the application's request.
struct ConsentPage {
    let provider: String
    let applicationName: String
    /// The requested permissions in the provider's words; may be empty.
    let permissions: [String]
    /// The path that receives the form: these parameters, `user`, and `decision` (`allow` or `deny`).
    let action: String
    let parameters: FormParameters
    /// The user whose radio button is selected at first.
    let preselected: SandboxUser

    var answer: Answer {
        let hidden = parameters.pairs.map {
            "<input type=\"hidden\" name=\"\(Page.escape($0.name))\" value=\"\(Page.escape($0.value))\">"
        }
        let users = SandboxUser.all.enumerated().map { index, user in
            let checked = user.key == preselected.key ? " checked" : ""
            let field =
                "<input type=\"radio\" name=\"user\" value=\"\(user.key)\" id=\"user-\(index)\"\(checked) required>"
            return "<label for=\"user-\(index)\">\(field) \(Page.escape(user.name))</label>"
        }
        let asked = permissions.map { "<li>\(Page.escape($0))</li>" }
        let list = asked.isEmpty ? "" : "<p>It requests:</p>\n<ul>\(asked.joined())</ul>"
        return Page(
            title: "Sign in with \(provider) (stand-in)",
            content: """
                <p>This is not \(Page.escape(provider)). It is a stand-in for development. The users below do not exist.</p>
                <p><strong>\(Page.escape(applicationName))</strong> wants to sign you in.</p>
                \(list)
                <form method="post" action="\(Page.escape(action))">
                \(hidden.joined(separator: "\n"))
                <fieldset>
                <legend>Sign in as</legend>
                \(users.joined(separator: "\n"))
                </fieldset>
                <button type="submit" name="decision" value="allow">Allow</button>
                <button type="submit" name="decision" value="deny">Refuse</button>
                </form>
                """
        ).answer()
    }
}

/// The user's choice on a ``ConsentPage``.
enum Decision {
    case allowed(SandboxUser)
    case denied

    /// Returns `nil` unless `decision` is `deny`, or `allow` with a known `user`.
    init?(_ parameters: FormParameters) {
        switch parameters["decision"] {
        case "allow":
            guard let user = parameters["user"].flatMap(SandboxUser.init(key:)) else { return nil }
            self = .allowed(user)
        case "deny":
            self = .denied
        default:
            return nil
        }
    }

    /// The fields that the form adds to the parameters of the authorization request.
    static let fields: Set<String> = ["user", "decision"]
}
