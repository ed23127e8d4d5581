extension Settings {
    /// The section `twitter.com`: X, which supports OAuth 1.0a and OAuth 2.0, but not OpenID Connect.
    package struct Twitter: Sendable, Equatable {
        package enum Flow: String, Sendable, CaseIterable {
            case oauth1, oauth2
        }

        /// Client credentials of RFC 5849, with X's names.
        package struct OAuth1: Sendable, Equatable {
            package let consumerKey: String
            package let consumerSecret: SecretValue
            package let requestEmail: Bool
        }

        package struct OAuth2: Sendable, Equatable {
            package let clientID: String
            package let clientSecret: SecretValue
            /// `nil` means the provider's default.
            package let scopes: [String]?
        }

        package struct Endpoints: Sendable, Equatable {
            /// An origin, to which the documented paths are appended.
            ///
            /// Here and below `nil` means the provider's default.
            package let api: String?
            package let authorize: String?
            package let oauth1Authenticate: String?
        }

        /// The flow if the application names none.
        ///
        /// Its keys are configured.
        package let flow: Flow
        package let oauth1: OAuth1?
        package let oauth2: OAuth2?
        /// `nil` means the provider's default.
        package let allowedParameters: [String]?
        package let accept: [CredentialType]
        package let emailTrust: EmailTrust
        package let endpoints: Endpoints
        package let timeout: Duration
        package let profile: ProfileRule
        /// Simultaneous calls of each kind.
        package let maximumCalls: Int

        package static let id = "twitter.com"
    }
}

extension Settings.Twitter {
    static let keys = [
        "flow", "oauth1", "oauth2", "allowed_parameters", "accept", "trust_email", "endpoints", "timeout", "profile",
        "max_calls",
    ]

    static func read(_ section: Section) -> Self {
        let oauth1 = section["oauth1"].map(OAuth1.read)
        let oauth2 = section["oauth2"].map(OAuth2.read)
        let endpoints = section.section("endpoints", keys: ["api", "authorize", "oauth1_authenticate"])
        return Self(
            flow: readFlow(section),
            oauth1: oauth1 ?? nil,
            oauth2: oauth2 ?? nil,
            allowedParameters: section["allowed_parameters"]?.parameterNames(),
            accept: readAccepted(section),
            emailTrust: section["trust_email"]?.choice(Settings.EmailTrust.self) ?? .always,
            endpoints: Endpoints(
                api: endpoints["api"]?.origin(),
                authorize: endpoints["authorize"]?.endpointURL(),
                oauth1Authenticate: endpoints["oauth1_authenticate"]?.endpointURL()),
            timeout: section["timeout"]?.duration(in: Settings.providerTimeouts) ?? .seconds(10),
            profile: section["profile"]?.choice(Settings.ProfileRule.self) ?? defaultProfile(section),
            maximumCalls: section["max_calls"]?.integer(in: Settings.callLimits) ?? Settings.defaultCallLimit)
    }

    /// X charges for each profile request.
    ///
    /// A refused value counts as the one that no client objects to.
    private static func defaultProfile(_ section: Section) -> Settings.ProfileRule {
        section.isRefused("profile") ? .always : .firstSignIn
    }

    private static func readFlow(_ section: Section) -> Flow {
        let written = Flow.allCases.filter { section[$0.rawValue] != nil || section.isRefused($0.rawValue) }
        if written.isEmpty { section.refuse("oauth2", "is missing: write oauth1, oauth2 or both") }
        guard let flow = section["flow"]?.choice(Flow.self) else { return written.last ?? .oauth2 }
        if !written.isEmpty, !written.contains(flow) {
            section.refuse("flow", "is \(flow.rawValue), whose keys are missing: add the section \(flow.rawValue)")
        }
        return flow
    }

    private static func readAccepted(_ section: Section) -> [Settings.CredentialType] {
        guard let entry = section["accept"] else { return section["oauth2"] == nil ? [] : [.authorizationCode] }
        let accepted =
            entry.credentialTypes(
                except: [.idToken, .accessToken],
                because: "is never accepted from X, because its audience cannot be verified: leave it out")
            ?? []
        for (type, needed) in [(.oauth1Token, "oauth1"), (.authorizationCode, "oauth2")]
            as [(Settings.CredentialType, _)]
        where accepted.contains(type) && section[needed] == nil && !section.isRefused(needed) {
            entry.refuse("contains \(type.rawValue): add the section \(needed), whose keys it needs")
        }
        return accepted
    }
}

extension Settings.Twitter.OAuth1 {
    static func read(_ entry: Entry) -> Self? {
        let section = Section(entry, keys: ["consumer_key", "consumer_secret", "request_email"])
        let key = section.required("consumer_key", "write the value that X calls API Key")?.identifier()
        let secret = section.required("consumer_secret", "write env:NAME or file:/path")?.secret()
        let requestEmail = section["request_email"]?.bool() ?? true
        guard let key, let secret else { return nil }
        return Self(consumerKey: key, consumerSecret: secret, requestEmail: requestEmail)
    }
}

extension Settings.Twitter.OAuth2 {
    static func read(_ entry: Entry) -> Self? {
        let section = Section(entry, keys: ["client_id", "client_secret", "scopes"])
        let id = section.required("client_id", "write the value that X calls Client ID")?.identifier()
        let secret = section.required("client_secret", "write env:NAME or file:/path")?.secret()
        let scopes = section["scopes"]?.scopes()
        guard let id, let secret else { return nil }
        return Self(clientID: id, clientSecret: secret, scopes: scopes)
    }
}
