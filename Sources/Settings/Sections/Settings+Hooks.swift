extension Settings {
    /// The section `hooks`: endpoints of the operator that are asked before an account or a custom token is made.
    package struct Hooks: SettingsSection {
        package var beforeCreate: Hook?
        package var beforeLink: Hook?
        package var beforeSignIn: Hook?

        static let keys: [Key<Self>] = [
            .optionalSection("before_create", \.beforeCreate),
            .optionalSection("before_link", \.beforeLink),
            .optionalSection("before_sign_in", \.beforeSignIn),
        ]

        func check(_ section: Section) {
            guard beforeCreate != nil, beforeLink == nil else { return }
            section.warn(
                "before_create",
                "decides only about the first identity of an account: write before_link too, or every user can link a "
                    + "further one that this hook would refuse")
        }
    }

    /// An endpoint that is asked before a step.
    package struct Hook: SettingsSection {
        /// The target of the request and the audience of its JWT, exactly as written.
        package var url = ""
        /// From 100 ms to 10 s, because the person waits for the answer.
        package var timeout = Duration.seconds(2)
        package var onFailure = OnFailure.deny

        static let keys: [Key<Self>] = [
            .key("url", \.url, .value { $0.hookURL() }, required: "write the https URL of your endpoint"),
            .key("timeout", \.timeout, .duration(in: .milliseconds(100) ... .seconds(10))),
            .key("on_failure", \.onFailure, .choice),
        ]

        /// The decision if the endpoint gives no usable answer.
        package enum OnFailure: String, Sendable, CaseIterable {
            case deny
            case allow
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
