internal import Jansson
package import Providers
package import Standards

extension Settings {
    /// An entry of `providers` with `protocol: oauth2`, or with a template that uses OAuth 2.0 without OpenID Connect.
    package struct OAuth2Provider: SettingsSection {
        package var id = ProviderID("")
        package var authentication = ClientAuthenticationKeys()
        /// What the component reads, and its defaults.
        package var registration = OAuth2Registration()

        package init() {}

        init(_ id: ProviderID, _ registration: OAuth2Registration) {
            self.id = id
            self.registration = registration
            authentication.method = registration.tokenEndpointAuthentication
        }

        static let keys: [Key<Self>] = first + ClientAuthenticationKeys.keys(at: \.authentication) + others

        private static let first: [Key<Self>] = [
            .shared("protocol") { _ in Providers.ProviderProtocol.oauth2.rawValue },
            .optional("name", \.registration.name, .value { $0.displayName() }),
            .key(
                "client_id", \.registration.oauth2.clientID, .value { $0.identifier() },
                required: "write the client id that the provider issued"),
        ]

        private static let others: [Key<Self>] = [
            .key("scopes", \.registration.oauth2.scopes, .list { $0.scope() }),
            .key("scope_separator", \.registration.oauth2.scopeSeparator, .choice),
            .key("allowed_scopes", \.registration.allowedScopes, .list { $0.scope() }),
            .key("allowed_parameters", \.registration.allowedParameters, .list { $0.parameterName() }),
            .key("pkce", \.registration.oauth2.pkce, .proofKeyMethod),
            .key(
                "accept", \.registration.acceptedCredentials,
                .credentials(
                    except: [.idToken, .oauth1Token], because: "does not exist with protocol: oauth2: leave it out")),
            .key("parameters", \.registration.oauth2.authorizationParameters, .parameters),
            .key("token_parameters", \.registration.oauth2.tokenParameters, .tokenParameters),
            .key("trust_email", \.registration.emailTrust, .choice),
            .section("endpoints", \.registration.oauth2),
            .section("members", \.registration.oauth2.user.mapping),
            .switchableSection("emails", \.registration.oauth2.emails),
            .switchableSection("introspection", \.registration.oauth2.introspection),
            .key("plain_http_hosts", \.registration.plainHTTPHosts, .list { $0.plainHTTPHost() }),
            .key("timeout", \.registration.timeout, .providerTimeout),
            .key("profile", \.registration.profileRule, .choice),
            .key("max_calls", \.registration.maximumCalls, .integer(in: Settings.callLimits)),
        ]
    }
}

extension Settings.OAuth2Provider {
    static func read(_ entry: Entry, id: ProviderID, template: OAuth2Registration?) -> Self {
        read(Section(entry, keys: names), from: Self(id, template ?? OAuth2Registration()))
    }

    mutating func check(_ section: Section) {
        authentication = .read(section, default: registration.tokenEndpointAuthentication)
        registration.oauth2.clientAuthentication = authentication.clientAuthentication
        section.refusePublicClientWithoutPKCE(authentication.method, registration.oauth2.pkce)
        dropForeignEndpoints(section)
        let oauth2 = registration.oauth2
        let written = section.section("endpoints", OAuth2.self)
        let needed = [
            ("authorization", oauth2.authorizationEndpoint), ("token", oauth2.tokenEndpoint),
            ("userinfo", oauth2.user.url),
        ]
        for (name, url) in needed where url.isEmpty && !written.isRefused(name) {
            written.refuse(name, "is missing: write the URL from the provider's documentation")
        }
        section.refusePlainHTTP(
            [
                ("token", oauth2.tokenEndpoint), ("userinfo", oauth2.user.url),
                ("revocation", oauth2.revocationEndpoint),
            ],
            in: written, except: registration.plainHTTPHosts)
        if let emails = oauth2.emails {
            section.refusePlainHTTP(
                [("url", emails.url)], in: section.section("emails", EmailEndpoint.self),
                except: registration.plainHTTPHosts)
        }
        let members = section.section("members", ProfileMapping.self)
        if oauth2.user.mapping.subject == "", !members.isRefused("sub") {
            members.refuse(
                "sub",
                "is missing: write the JSON Pointer of the member that identifies the person for ever, such as /id")
        }
        let (sub, mapping) = (oauth2.user.mapping.subject, oauth2.user.mapping)
        if [mapping.email, mapping.name, mapping.screenName].contains(sub) {
            members.warn(
                "sub",
                "is also the place of the e-mail address, of the name or of preferred_username, which can change hands: write "
                    + "that of an id which the provider never gives to another person")
        }
        checkIntrospection(section)
        if oauth2.emails != nil, registration.emailTrust == .always, !section.isRefused("trust_email") {
            section.refuse(
                "trust_email",
                "is always, but emails says of each address whether it is verified: write claim, or leave out the key")
        }
        if oauth2.pkce == .off, registration.acceptedCredentials.contains(.authorizationCode) {
            // The flows of this server are bound by state and session; a posted code would be bound by nothing.
            if section["accept"] != nil, !section.isRefused("accept") {
                section.refuse(
                    "accept",
                    "contains authorization_code, which only PKCE binds to its application with protocol: oauth2: write pkce: "
                        + "S256, or leave authorization_code out")
            }
            registration.acceptedCredentials.removeAll { $0 == .authorizationCode }
        }
        if registration.acceptedCredentials.contains(.accessToken), oauth2.introspection == nil {
            section.refuse(
                "accept",
                "contains access_token, whose audience only an endpoint that names its application can prove: write the "
                    + "section introspection, or leave access_token out")
        }
    }

    /// Leaves out what a template has at the hosts of its provider, if the file names another server by its token endpoint or
    /// its issuer.
    ///
    /// The template's endpoints would otherwise receive tokens and secrets of another server, such as GitHub Enterprise.
    private mutating func dropForeignEndpoints(_ section: Section) {
        guard case .oauth2(let template)? = ProviderTemplate.named[id],
            WebURL.areElsewhere([registration.oauth2.tokenEndpoint], than: [template.oauth2.tokenEndpoint])
                || WebURL.areElsewhere([registration.oauth2.issuer].compactMap(\.self), than: [template.oauth2.issuer])
        else { return }
        let written = section.section("endpoints", OAuth2.self)
        if written["issuer"] == nil { registration.oauth2.issuer = nil }
        if written["authorization"] == nil { registration.oauth2.authorizationEndpoint = "" }
        if written["token"] == nil { registration.oauth2.tokenEndpoint = "" }
        if written["userinfo"] == nil { registration.oauth2.user.url = "" }
        if written["revocation"] == nil { registration.oauth2.revocationEndpoint = nil }
        if section["introspection"] == nil { registration.oauth2.introspection = nil }
        if section["emails"] == nil { registration.oauth2.emails = nil }
    }

    private func checkIntrospection(_ section: Section) {
        guard let introspection = registration.oauth2.introspection else { return }
        let written = section.section("introspection", TokenIntrospection.self)
        section.refusePlainHTTP(
            [("url", introspection.url.replacing(TokenIntrospection.clientIDPlaceholder, with: "id"))], in: written,
            except: registration.plainHTTPHosts)
        if registration.oauth2.tokenParameters[introspection.tokenName] != nil {
            section.refuse(
                "token_parameters",
                "contains \(introspection.tokenName), which has the token at the introspection endpoint: leave it out")
        }
        if introspection.url.isEmpty, !written.isRefused("url") {
            written.refuse("url", "is missing: write the URL of the endpoint that names the application of a token")
        }
        if introspection.authentication == .client, introspection.placement != .form,
            !written.isRefused("authentication")
        {
            written.refuse(
                "authentication",
                "is client, which sends the form of the token endpoint: write token_in: form, or authentication: none, or basic or "
                    + "app_token with client_secret as a text")
        }
        let needsSecret = introspection.authentication == .basic || introspection.authentication == .appToken
        if needsSecret, authentication.secret == nil, !written.isRefused("authentication"),
            !section.isRefused("client_secret")
        {
            written.refuse(
                "authentication", "needs client_secret as a text: write it, or none, or client with token_in: form")
        }
    }
}

/// The section `endpoints`: the endpoints that every provider has, and that of RFC 7009.
extension OAuth2: SettingsSection {
    package init() { self = OAuth2Registration().oauth2 }

    static let keys: [Key<Self>] = [
        .optional("issuer", \.issuer, .value { $0.issuer() }),
        .key("authorization", \.authorizationEndpoint, .value { $0.endpointURL() }),
        .key("token", \.tokenEndpoint, .value { $0.backChannelURL() }),
        .key("userinfo", \.user.url, .value { $0.backChannelURL() }),
        .optional("userinfo_body", \.user.body, .value { $0.jsonText() }),
        .key("userinfo_header", \.user.header, .headerFields),
        .optional("revocation", \.revocationEndpoint, .value { $0.backChannelURL() }),
    ]
}

extension ProfileMapping: SettingsSection {
    static let keys: [Key<Self>] = [
        .key("sub", \.subject, .pointer),
        .key("name", \.name, .off(or: .pointer)),
        .key("given_name", \.givenName, .off(or: .pointer)),
        .key("family_name", \.familyName, .off(or: .pointer)),
        .key("email", \.email, .off(or: .pointer)),
        .key("email_verified", \.emailVerified, .off(or: .pointer)),
        .key("picture", \.picture, .off(or: .pointer)),
        .key("picture_url", \.pictureURL, .off(or: .value { $0.pictureURL() })),
        .key("locale", \.locale, .off(or: .pointer)),
        .key("preferred_username", \.screenName, .off(or: .pointer)),
    ]
}

extension EmailEndpoint: SettingsSection {
    package init() { self.init(url: "") }

    static let keys: [Key<Self>] = [
        .key("url", \.url, .value { $0.backChannelURL() }, required: "write the URL of the list of addresses"),
        .key("list", \.list, .pointer),
        .key("email", \.address, .pointer),
        .key("email_verified", \.isVerified, .pointer),
        .key("primary", \.isPrimary, .pointer),
    ]
}

extension TokenIntrospection: SettingsSection {
    package init() { self = .standard("") }

    static let keys: [Key<Self>] = [
        .key("url", \.url, .value { $0.introspectionURL() }),
        .key("token_in", \.placement, .choice),
        .key("token_name", \.tokenName, .value { $0.token() }),
        .key("authentication", \.authentication, .choice),
        .key("client_id", \.application, .pointer),
        .optional("application_id", \.applicationID, .value { $0.identifier() }),
        .key("sub", \.subject, .off(or: .pointer)),
        .key("active", \.active, .off(or: .pointer)),
        .key("exp", \.expiry, .off(or: .pointer)),
    ]
}

extension Rule<JSONPointer> {
    /// The place of a value in a JSON text (RFC 6901).
    static var pointer: Self { .value { $0.jsonPointer() } }
}

extension Entry {
    fileprivate func jsonPointer() -> JSONPointer? {
        if writtenText?.isEmpty == true, isText { return "" }
        guard let text = text() else { return nil }
        guard let pointer = JSONPointer(text), text.utf8.count <= 200, text != "/" else {
            let example = text.hasPrefix("/") ? "/id" : "\(Self.pointer(toMember: text)) for the member of that name"
            return refusing("is not a JSON Pointer (RFC 6901): write \(example), or /data/id for a member of a member")
        }
        // A member can have a URL as its name, which would be read here as members of members, one with an empty name.
        if let colon = text.firstRange(of: "://"), let slash = text[..<colon.lowerBound].lastIndex(of: "/") {
            let name = String(text[text.index(after: slash)...])
            return refusing(
                "has a / in the name of a member, which RFC 6901 writes as ~1: write "
                    + text[..<slash] + Self.pointer(toMember: name))
        }
        return pointer
    }

    private static func pointer(toMember name: String) -> String {
        "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// Reads a JSON text that is sent as it is written.
    fileprivate func jsonText() -> String? {
        guard let text = text() else { return nil }
        guard text == "null" || (try? JSON.parse(Array(text.utf8))) != nil else {
            return refusing(
                "is not an object in JSON: write it in single quotes, or 'null' if the request has no values")
        }
        return text
    }

    fileprivate func introspectionURL() -> String? {
        guard let text = text() else { return nil }
        do {
            _ = try WebURL.parse(
                text.replacing(TokenIntrospection.clientIDPlaceholder, with: "id"), allowsPlainHTTP: true)
            return text
        } catch {
            return refusing(error.message)
        }
    }

    /// Reads the URL of a picture, with the place of what the provider sends.
    fileprivate func pictureURL() -> String? {
        guard let text = text() else { return nil }
        let filled = text.replacing(ProfileMapping.pictureURLSubject, with: "id")
            .replacing(ProfileMapping.pictureURLPlaceholder, with: "id")
        guard text.contains(ProfileMapping.pictureURLPlaceholder), (try? WebURL.parse(filled)) != nil else {
            return refusing(
                "is not the URL of a picture: write it with {picture} where the provider's value belongs, such as "
                    + "https://cdn.example/avatars/{sub}/{picture}.png")
        }
        return text
    }

    /// Reads the name of a parameter, of a member or of an authentication scheme.
    fileprivate func token() -> String? {
        guard let text = text() else { return nil }
        guard text.consists(of: .lettersAndDigits, or: "-_") else {
            return refusing(
                "is not the name of a parameter or of a scheme: use letters, digits, hyphens and underscores")
        }
        return text
    }
}
