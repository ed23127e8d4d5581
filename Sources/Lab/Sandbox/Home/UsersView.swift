/// The section of the front page about the users of the stand-ins: the codes of their authenticator applications, and the buttons
/// that add one and that reset a user.
struct UsersView {
    static let anchor = "users"

    /// The authenticator applications by the keys of their users.
    let authenticators: [String: SandboxAuthenticator]
    /// Seconds since 1970-01-01T00:00:00Z on the clock of the stand-ins.
    let now: Int64
    let notice: Notice?

    /// The outcome of the last button, which the address of the front page names.
    struct Notice {
        enum Kind: String, CaseIterable {
            case reset, factor, refused
        }

        let kind: Kind
        let user: SandboxUser

        init(_ kind: Kind, _ user: SandboxUser) {
            self.kind = kind
            self.user = user
        }

        init?(_ query: FormParameters?) {
            for kind in Kind.allCases {
                guard let user = query?[kind.rawValue].flatMap(SandboxUser.init(key:)) else { continue }
                self.init(kind, user)
                return
            }
            return nil
        }

        var location: String { "/?\(kind.rawValue)=\(user.key)#\(UsersView.anchor)" }

        fileprivate var html: String {
            let name = Page.escape(user.name)
            let text =
                switch kind {
                case .reset: "\(name) has no account at the server any more."
                case .factor: "The account of \(name) has a second factor now."
                case .refused:
                    "The server added no second factor to the account of \(name). Reset the user first, and try again."
                }
            return "<p class=\"panel\(kind == .refused ? " failed" : " accepted")\" role=\"status\">\(text)</p>"
        }
    }

    var html: String {
        """
        <section aria-labelledby="\(Self.anchor)">
        <h2 id="\(Self.anchor)">The users</h2>
        <p>An application of your own signs in the same users. <em>Reset</em> deletes the accounts of a user at the server, \
        so that the next sign-in is the first one. The new account has another uid, because the server never assigns the uid of a \
        deleted account again.</p>
        \(notice?.html ?? "")
        <ul class="users">
        \(SandboxUser.all.map(item).joined(separator: "\n"))
        </ul>
        \(authenticators.isEmpty ? "" : "<p><a href=\"/?codes=\(now)#\(Self.anchor)\">Show the present codes</a></p>")
        </section>
        """
    }

    private func item(_ user: SandboxUser) -> String {
        let name = Page.escape(user.name)
        let authenticator = authenticators[user.key]
        let code = authenticator.map {
            """
            <p>Second factor: <code class="totp">\($0.code(at: now))</code> for \
            \(SandboxAuthenticator.timeLeft(at: now)), then <code>\($0.nextCode(at: now))</code></p>
            """
        }
        let addition = """
            <button type="submit" formaction="/users/\(user.key)/factor" aria-label="Add a second factor for \(name)">\
            Add a second factor</button>
            """
        return """
            <li>
            <p><strong>\(name)</strong> <span class="small">\(Page.escape(user.email ?? "without an address"))</span></p>
            \(code ?? "")
            <form method="post" action="/users/\(user.key)/reset">
            \(authenticator == nil ? addition : "")
            <button type="submit" aria-label="Reset \(name)">Reset</button>
            </form>
            </li>
            """
    }
}
