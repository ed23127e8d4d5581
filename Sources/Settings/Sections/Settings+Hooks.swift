extension Settings {
    /// The section `hooks`: endpoints of the operator that are asked before an account or a custom token is made.
    package struct Hooks: Sendable, Equatable {
        package let beforeCreate: Hook?
        package let beforeLink: Hook?
        package let beforeSignIn: Hook?
    }

    /// An endpoint that is asked before a step.
    package struct Hook: Sendable, Equatable {
        /// The target of the request and the audience of its JWT, exactly as written.
        package let url: String
        /// From 100 ms to 10 s.
        package let timeout: Duration
        package let onFailure: OnFailure

        /// The decision if the endpoint gives no usable answer.
        package enum OnFailure: String, Sendable, CaseIterable {
            case deny
            case allow
        }
    }
}

extension Settings.Hooks {
    static let keys = ["before_create", "before_link", "before_sign_in"]

    static func read(_ section: Section) -> Self {
        func hook(_ name: String) -> Settings.Hook? {
            section[name] == nil ? nil : Settings.Hook.read(section.section(name, keys: Settings.Hook.keys))
        }
        let hooks = Self(
            beforeCreate: hook("before_create"), beforeLink: hook("before_link"), beforeSignIn: hook("before_sign_in"))
        if hooks.beforeCreate != nil, hooks.beforeLink == nil, section["before_link"] == nil {
            section.warn(
                "before_create",
                "decides only about the first identity of an account: write before_link too, or every user can link a "
                    + "further one that this hook would refuse")
        }
        return hooks
    }
}

extension Settings.Hook {
    static let keys = ["url", "timeout", "on_failure"]
    /// The person waits for the answer, so that it must not take longer than a call to a provider.
    private static let timeouts: ClosedRange<Duration> = .milliseconds(100) ... .seconds(10)

    fileprivate static func read(_ section: Section) -> Self? {
        let timeout = section["timeout"]?.duration(in: timeouts)
        let onFailure = section["on_failure"]?.choice(OnFailure.self)
        return section.required("url", "write the https URL of your endpoint")?.hookURL().map {
            Self(url: $0, timeout: timeout ?? .seconds(2), onFailure: onFailure ?? .deny)
        }
    }
}

extension Entry {
    /// Reads the URL of a hook.
    ///
    /// Google's APIs accept a JWT of a service account as its access token if the audience is the API
    /// (<https://developers.google.com/identity/protocols/oauth2/service-account#jwt-auth>). Therefore no hook may have
    /// the address of one.
    fileprivate func hookURL() -> String? {
        guard let text = endpointURL(), let url = try? WebURL.parse(text) else { return nil }
        let host = url.host.lowercased()
        guard host != "googleapis.com", !host.hasSuffix(".googleapis.com") else {
            return refusing("is an API of Google, which would accept the JWT as a credential: write your own endpoint")
        }
        return text
    }
}

extension Summary {
    mutating func add(_ hooks: Settings.Hooks) {
        for (name, hook) in zip(Settings.Hooks.keys, [hooks.beforeCreate, hooks.beforeLink, hooks.beforeSignIn]) {
            guard let hook else { continue }
            add("hooks.\(name).url", hook.url)
            add("hooks.\(name).timeout", DurationText.write(hook.timeout))
            add("hooks.\(name).on_failure", hook.onFailure.rawValue)
        }
    }
}
