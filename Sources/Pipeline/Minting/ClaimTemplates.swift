internal import Accounts
import Firebase
internal import JOSE
internal import Jansson
package import Providers
internal import SecondFactors
internal import Standards
internal import Verification

/// The templates of developer claims from the configuration, such as `{"idp": "{provider}"}`.
///
/// A template that consists of one placeholder becomes its value, with the type of the value, and is left out if there
/// is no value. Any other template becomes text, in which a placeholder without a value is empty. No claim of a
/// provider is copied under its own name.
package struct ClaimTemplates: Sendable {
    /// The names of claims that this type makes without a template.
    package static let ownNames = [
        "anonymous", "reauth_time", "reauth_method", FactorClaims.kind, FactorClaims.time,
    ]

    private let templates: [String: IdentityTemplate]

    /// - Parameter templates: The templates by the names of the claims. The configuration refuses reserved names and
    ///   text over the limit; if one is left, no token is minted.
    package init(_ templates: [String: IdentityTemplate]) {
        self.templates = templates
    }

    /// Fills the templates for an account.
    ///
    /// The `provider` of an anonymous account is `anonymous`, which no provider has as its id. It has no other values.
    /// A session that continues keeps the values that its ID token has under the names of the templates.
    ///
    /// - Parameters:
    ///   - reauthentication: Proof of a fresh login, which becomes a claim.
    ///   - added: Claims of hooks, which replace those of the templates.
    /// - Throws: ``MintingError/reservedClaim(_:)`` and ``MintingError/claimsTooLarge(bytes:)``.
    func claims(
        for cleared: ClearedAccount, client: ClientID, reauthentication: Reauthentication?,
        adding added: HookClaims
    ) throws(MintingError) -> DeveloperClaims {
        let account = cleared.account
        var members: [String: JSON] = [:]
        for (name, template) in templates {
            if case .session(let user) = account.evidence {
                members[name] = user.claims[name]?.scalar
            } else if template.segments.count == 1, let placeholder = template.placeholders.first {
                members[name] = value(of: placeholder, account, client)
            } else {
                members[name] = .string(template.filled { text(of: $0, account, client) })
            }
        }
        members.merge(added.members) { $1 }
        // A template under one of these names would claim what this sign-in has not shown.
        for name in Self.ownNames { members[name] = nil }
        if account.isAnonymous { members["anonymous"] = .bool(true) }
        if let factor = cleared.factor {
            members[FactorClaims.kind] = .string(factor.kind.rawValue)
            members[FactorClaims.time] = .integer(factor.at.seconds)
        }
        switch reauthentication {
        case .loggedIn(let at): members["reauth_time"] = .integer(at.seconds)
        case .prompted: members["reauth_method"] = .string("prompt")
        case nil: break
        }
        return try DeveloperClaims(members)
    }

    private func value(of placeholder: IdentityTemplate.Placeholder, _ account: Account, _ client: ClientID) -> JSON? {
        let identity = account.identity
        return switch placeholder {
        case .provider: .string(identity?.provider.text ?? "anonymous")
        case .subject: identity.map { .string($0.subject.text) }
        case .clientID: .string(client.text)
        case .email: identity?.profile.email.map(JSON.string)
        case .emailVerified: identity?.profile.isEmailVerified.map(JSON.bool)
        case .audienceProof: identity.map { .string($0.audienceProof.rawValue) }
        }
    }

    private func text(of placeholder: IdentityTemplate.Placeholder, _ account: Account, _ client: ClientID) -> String {
        switch value(of: placeholder, account, client) {
        case .string(let text)?: text
        case .bool(let isTrue)?: isTrue ? "true" : "false"
        default: ""
        }
    }
}

extension JSON {
    /// The value if it is a string or a Boolean, as every claim of a template is; `nil` for any other.
    fileprivate var scalar: JSON? {
        switch self {
        case .string, .bool: self
        default: nil
        }
    }
}
