internal import JOSE
package import Jansson
package import Standards
package import Transport

/// A provider as data: its properties, and the registration of this deployment with it.
///
/// A new provider needs new values and no new code, unless it needs a new ``SignInProtocol``.
package final class Provider: Sendable {
    package let id: ProviderID
    /// The name that pages show.
    package let name: String
    /// The protocols, by the value of `flow` at `POST /v1/signin`.
    package let protocols: [String: SignInProtocol]
    package let defaultFlow: String
    /// The credentials that `POST /v1/exchange` accepts.
    ///
    /// `callback` is always accepted, because this server began the flow that it ends.
    package let acceptedCredentials: Set<CredentialType>
    /// The scopes that an application may request in addition to the configured ones.
    package let allowedScopes: Set<String>
    /// The parameters of the authorization request that an application may set.
    package let allowedParameters: Set<String>
    package let emailTrust: EmailTrust
    /// The timeout of each call to the provider.
    package let timeout: Duration
    package let profileRule: ProfileRule
    /// The maximum number of concurrent calls of one ``CallKind``; further calls wait.
    package let maximumCalls: Int
    /// Whether the provider answers a request with `prompt=none` without a page (OpenID Connect Core §3.1.2.1).
    package let supportsPromptNone: Bool
    package let responseMode: ProviderResponseMode
    /// The parameter of an authorization response with the person's name; `nil` for almost every provider.
    package let callbackName: CallbackName?
    /// The hosts that back-channel endpoints may name with `http`; see `OutboundRequest.plainHTTPHosts`.
    package let plainHTTPHosts: [String]

    package static let defaultMaximumCalls = 256

    package init(
        id: ProviderID, name: String, protocols: [String: SignInProtocol], defaultFlow: String,
        acceptedCredentials: Set<CredentialType>, allowedScopes: Set<String>, allowedParameters: Set<String>,
        emailTrust: EmailTrust, timeout: Duration, profileRule: ProfileRule = .always,
        maximumCalls: Int = defaultMaximumCalls, supportsPromptNone: Bool = false,
        responseMode: ProviderResponseMode = .query, callbackName: CallbackName? = nil, plainHTTPHosts: [String] = []
    ) {
        precondition(protocols[defaultFlow] != nil, "The default flow must be one of the provider's flows.")
        self.id = id
        self.name = name
        self.protocols = protocols
        self.defaultFlow = defaultFlow
        self.acceptedCredentials = acceptedCredentials
        self.allowedScopes = allowedScopes
        self.allowedParameters = allowedParameters
        self.emailTrust = emailTrust
        self.timeout = timeout
        self.profileRule = profileRule
        self.maximumCalls = maximumCalls
        self.supportsPromptNone = supportsPromptNone
        self.responseMode = responseMode
        self.callbackName = callbackName
        self.plainHTTPHosts = plainHTTPHosts
    }

    package var openIDConnect: OpenIDConnect? {
        protocols.values.lazy.compactMap { if case .openIDConnect(let it) = $0 { it } else { nil } }.first
    }

    package var oauth2: OAuth2? {
        protocols.values.lazy.compactMap { if case .oauth2(let it) = $0 { it } else { nil } }.first
    }

    package var oauth1: OAuth1? {
        protocols.values.lazy.compactMap { if case .oauth1(let it) = $0 { it } else { nil } }.first
    }
}

/// A parameter of the authorization response with a JSON object about the person.
///
/// It comes through the browser without a signature: only a name for display is read.
package struct CallbackName: Sendable, Equatable {
    /// The parameter, which no provider but Apple is known to send.
    package static let parameter = "user"

    package let givenName: JSONPointer
    package let familyName: JSONPointer

    /// Returns the value of the parameter without what is not read of it, such as the address.
    package func reduced(_ text: String) -> String {
        let members = (try? JSON.parse(tolerantly: Array(text.utf8)))?.object ?? [:]
        let read = members.filter { name, _ in [givenName.member, familyName.member].contains(name) }
        return String(decoding: JSON.object(read).serialized(), as: UTF8.self)
    }

    /// Returns the name in the parameter; `nil` if it is missing or malformed.
    package func profile(in parameters: Parameters) -> Profile? {
        guard let text = parameters[Self.parameter], let person = try? JSON.parse(tolerantly: Array(text.utf8)) else {
            return nil
        }
        var mapping = ProfileMapping()
        mapping.givenName = givenName
        mapping.familyName = familyName
        var profile = mapping.profile(in: person, trusting: .never)
        let parts = [profile.givenName, profile.familyName].compactMap(\.self)
        guard !parts.isEmpty else { return nil }
        profile.name = parts.joined(separator: " ")
        return profile
    }
}

/// How the browser carries the response of a provider to the redirect URI.
package enum ProviderResponseMode: String, Sendable, CaseIterable {
    /// In the query of a redirect, which is the default of the response type `code` (RFC 6749 §4.1.2).
    case query
    /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
}

extension Provider {
    /// The kinds of calls to a provider.
    ///
    /// Each kind has a queue of its own, so that a slow user endpoint does not delay the redemption of codes.
    package enum CallKind: String, Sendable {
        /// A call to the token, introspection or revocation endpoint.
        case token
        /// A call to the user endpoint.
        case user
    }

    package func queue(_ kind: CallKind) -> CallQueue {
        CallQueue(id.text, kind.rawValue, limit: maximumCalls)
    }
}

extension OutboundRequest {
    /// The same request in the queue of a provider, with the permissions of that provider.
    package func addressed(to provider: Provider, _ kind: Provider.CallKind) -> OutboundRequest {
        var request = queued(in: provider.queue(kind))
        request.plainHTTPHosts = provider.plainHTTPHosts
        return request
    }
}

extension Provider {
    /// Returns the scopes that are sent to the provider for a browser or device flow.
    ///
    /// Some OAuth libraries always request `offline_access` (OpenID Connect Core §11). It is dropped, unless the
    /// configuration of the provider allows it.
    package func sent(_ scopes: [String]) -> [String] {
        scopes.filter { !$0.exactlyEquals("offline_access") || allowedScopes.containsExactly($0) }
    }

    /// Returns whether an application may request these scopes by a browser or device flow.
    ///
    /// OAuth 1.0a has no scopes: the provider's settings define what a token may do.
    ///
    /// - Parameter flow: A flow of the provider; `nil` for the default one.
    /// - Returns: `true` if each scope is configured or allowed; `false` for an unknown flow.
    package func allows(scopes: [String], flow: String?) -> Bool {
        let configured: [String]
        switch protocols[flow ?? defaultFlow] {
        case .openIDConnect(let openIDConnect): configured = openIDConnect.scopes
        case .oauth2(let oauth2): configured = oauth2.scopes
        case .oauth1: return sent(scopes).isEmpty
        case nil: return false
        }
        return sent(scopes).allSatisfy { configured.containsExactly($0) || allowedScopes.containsExactly($0) }
    }

    /// Returns whether an application may set this parameter of the authorization request.
    package func allows(parameter name: String) -> Bool {
        allowedParameters.containsExactly(name)
    }

    /// Whether a browser flow with `prompt=none` can lead to this provider.
    package var allowsPromptNone: Bool { supportsPromptNone && allows(parameter: "prompt") }
}

extension Provider {
    /// Returns the flow that makes the person log in again.
    ///
    /// - Parameter flow: The flow that the caller requires; `nil` for the default one, or else the first by name that can
    ///   request a new login.
    /// - Returns: The flow, or `nil` if none can request a new login.
    package func flowForFreshLogin(_ flow: String?) -> String? {
        let candidates = flow.map { [$0] } ?? [defaultFlow] + protocols.keys.sorted()
        return candidates.first { protocols[$0]?.freshLogin != nil }
    }
}
