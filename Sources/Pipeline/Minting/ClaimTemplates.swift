internal import Accounts
internal import JOSE
internal import Jansson
internal import OAuth
internal import Providers
internal import Verification
internal import Wrapping

/// Developer claims as the configuration writes them: `{"idp": "{provider}"}`.
///
/// A template that is one placeholder alone takes over its value, with its type, and is left out where there is none.
/// Any other is text, with nothing in the place of what is not there. No claim of a provider is ever copied by its
/// name.
package struct ClaimTemplates: Sendable {
    package enum Placeholder: Sendable {
        case provider
        case subject
        case clientID
        case email
        case emailVerified
        case audienceProof
    }

    package enum Segment: Sendable {
        case text(String)
        case placeholder(Placeholder)
    }

    private let templates: [String: [Segment]]

    /// - Parameter templates: By the name of the claim. Reserved names and text over the limit are refused when a token
    ///   is minted; the configuration refuses them before.
    package init(_ templates: [String: [Segment]]) {
        self.templates = templates
    }

    /// The `provider` of an anonymous account is `anonymous`, which is nobody's id; it has none of the rest.
    func claims(
        for account: Account, client: ClientID, reauthentication: Reauthentication?
    ) throws(MintingError) -> DeveloperClaims {
        var members: [String: JSON] = [:]
        for (name, segments) in templates {
            if segments.count == 1, case .placeholder(let placeholder) = segments[0] {
                members[name] = value(of: placeholder, account, client)
            } else {
                members[name] = .string(segments.map { text(of: $0, account, client) }.joined())
            }
        }
        // A template's text under these names would claim what was not proven.
        members["reauth_time"] = nil
        members["reauth_method"] = nil
        switch reauthentication {
        case .loggedIn(let at): members["reauth_time"] = .integer(at.seconds)
        case .prompted: members["reauth_method"] = .string("prompt")
        case nil: break
        }
        return try wrappingNow(MintingError.claims, DeveloperClaims(members))
    }

    private func value(of placeholder: Placeholder, _ account: Account, _ client: ClientID) -> JSON? {
        let identity = account.identity
        return switch placeholder {
        case .provider: .string(identity?.provider.text ?? "anonymous")
        case .subject: identity.map { .string($0.subject) }
        case .clientID: .string(client.text)
        case .email: identity?.profile.email.map(JSON.string)
        case .emailVerified: identity?.profile.isEmailVerified.map(JSON.bool)
        case .audienceProof: identity.map { .string($0.audienceProof.rawValue) }
        }
    }

    private func text(of segment: Segment, _ account: Account, _ client: ClientID) -> String {
        switch segment {
        case .text(let text): text
        case .placeholder(let placeholder):
            switch value(of: placeholder, account, client) {
            case .string(let text)?: text
            case .bool(let isTrue)?: isTrue ? "true" : "false"
            default: ""
            }
        }
    }
}
