package import Providers
package import Standards

extension Settings {
    /// The section `twitter.com`: X, which supports OAuth 1.0a and OAuth 2.0, but not OpenID Connect.
    package struct Twitter: SettingsSection {
        /// The flow if the application names none.
        ///
        /// Its keys are configured.
        package var flow = Flow.oauth2
        package var oauth1: OAuth1?
        package var oauth2: OAuth2?
        /// `nil` means the provider's default.
        package var allowedParameters: [String]?
        package var accept: [CredentialType] = []
        package var emailTrust = EmailTrust.always
        package var endpoints = Endpoints()
        package var timeout = Duration.seconds(10)
        /// X charges for each profile request.
        package var profile = ProfileRule.firstSignIn
        /// Simultaneous calls of each kind.
        package var maximumCalls = Provider.defaultMaximumCalls

        package static let id = ProviderID("twitter.com")

        package enum Flow: String, Sendable, CaseIterable {
            case oauth1, oauth2
        }

        static let keys: [Key<Self>] = [
            .key("flow", \.flow, .choice).readByCheck,
            .optionalSection("oauth1", \.oauth1),
            .optionalSection("oauth2", \.oauth2),
            .optional(
                "allowed_parameters", \.allowedParameters, .list { $0.parameterName() }, unset: providersDefault),
            .key(
                "accept", \.accept,
                .credentials(
                    except: [.idToken, .accessToken],
                    because: "is never accepted from X, because its audience cannot be verified: leave it out")),
            .key("trust_email", \.emailTrust, .choice),
            .section("endpoints", \.endpoints),
            .key("timeout", \.timeout, .providerTimeout),
            .key("profile", \.profile, .choice),
            .key("max_calls", \.maximumCalls, .integer(in: callLimits)),
        ]

        /// Client credentials of RFC 5849, with X's names.
        package struct OAuth1: SettingsSection {
            package var consumerKey = ""
            package var consumerSecret = SecretValue.unread
            package var requestEmail = true

            static let keys: [Key<Self>] = [
                .key(
                    "consumer_key", \.consumerKey, .value { $0.identifier() },
                    required: "write the value that X calls API Key"),
                .key("consumer_secret", \.consumerSecret, .secret, required: "write env:NAME or file:/path"),
                .key("request_email", \.requestEmail, .flag),
            ]
        }

        package struct OAuth2: SettingsSection {
            package var clientID = ""
            package var clientSecret = SecretValue.unread
            /// `nil` means the provider's default.
            package var scopes: [String]?

            static let keys: [Key<Self>] = [
                .key(
                    "client_id", \.clientID, .value { $0.identifier() },
                    required: "write the value that X calls Client ID"),
                .key("client_secret", \.clientSecret, .secret, required: "write env:NAME or file:/path"),
                .optional("scopes", \.scopes, .list { $0.scope() }, unset: providersDefault),
            ]
        }

        package struct Endpoints: SettingsSection {
            /// An origin, to which the documented paths are appended.
            ///
            /// Here and below `nil` means the provider's default.
            package var api: String?
            package var authorize: String?
            package var oauth1Authenticate: String?

            static let keys: [Key<Self>] = [
                .optional("api", \.api, .value { $0.origin() }),
                .optional("authorize", \.authorize, .value { $0.endpointURL() }),
                .optional("oauth1_authenticate", \.oauth1Authenticate, .value { $0.endpointURL() }),
            ]
        }
    }
}

extension Settings.Twitter {
    mutating func check(_ section: Section) {
        flow = Self.readFlow(section)
        // No client objects to this rule.
        if section.isRefused("profile") { profile = .always }
        guard let entry = section["accept"] else {
            accept = section["oauth2"] == nil ? [] : [.authorizationCode]
            return
        }
        for (type, needed) in [(.oauth1Token, "oauth1"), (.authorizationCode, "oauth2")] as [(CredentialType, _)]
        where accept.contains(type) && section[needed] == nil && !section.isRefused(needed) {
            entry.refuse("contains \(type.rawValue): add the section \(needed), whose keys it needs")
        }
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
}

extension Settings.Twitter.OAuth2 {
    mutating func check(_ section: Section) {
        let required = TwitterTemplate.requiredScopes
        guard let scopes, !section.isRefused("scopes"), !required.isSubset(of: scopes) else { return }
        section.refuse(
            "scopes",
            "must contain \(required.sorted().joined(separator: " and ")), each as an element of its own: without them X does not tell "
                + "who signs in")
    }
}
