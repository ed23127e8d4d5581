/// The page on which a person says who they are and whether the application may go on.
struct ConsentPage {
    let provider: String
    let applicationName: String
    /// What is asked for, in the provider's words; may be empty.
    let permissions: [String]
    /// Where the form is posted: these parameters, `user`, and `decision` (`allow` or `deny`).
    let action: String
    let parameters: FormParameters
    /// Its radio button is set beforehand.
    var preselected: SandboxUser?

    var answer: Answer {
        let hidden = parameters.pairs.map {
            "<input type=\"hidden\" name=\"\(Page.escape($0.name))\" value=\"\(Page.escape($0.value))\">"
        }
        let users = SandboxUser.all.enumerated().map { index, user in
            let checked = user.key == (preselected ?? SandboxUser.all[0]).key ? " checked" : ""
            let field =
                "<input type=\"radio\" name=\"user\" value=\"\(user.key)\" id=\"user-\(index)\"\(checked) required>"
            return "<label for=\"user-\(index)\">\(field) \(Page.escape(user.name))</label>"
        }
        let asked = permissions.map { "<li>\(Page.escape($0))</li>" }
        let list = asked.isEmpty ? "" : "<p>It asks for:</p>\n<ul>\(asked.joined())</ul>"
        return Page(
            title: "Sign in with \(provider) (stand-in)",
            content: """
                <p>This is not \(Page.escape(provider)), but a stand-in for development. The people below do not exist.</p>
                <p><strong>\(Page.escape(applicationName))</strong> wants to know who you are.</p>
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

/// What a person chose on a ``ConsentPage``.
enum Decision {
    case allowed(SandboxUser)
    case denied

    /// Nil unless `decision` is `allow` with a known `user`, or `deny`.
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

    /// The form's own fields; all others are those of the request that it answers.
    static let fields: Set<String> = ["user", "decision"]
}
