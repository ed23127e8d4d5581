package import Jansson
internal import Standards

/// The provider's own answer about a person, before it is mapped to a ``Profile``.
struct ProviderAnswer: Sendable, Equatable {
    /// The response of the userinfo endpoint, or of another user endpoint; `nil` if none was called.
    var userInfo: JSON?
    /// The claims of the ID token; `nil` if there was none.
    var idToken: JSON?
    /// Whether the answer exceeded ``ReturnedProfile/limit`` when the identity was sealed, and was left out then.
    var wasTooLong = false

    static let none = ProviderAnswer()
}

/// The provider's answer about a person, for applications that the configuration allows to have it.
package enum ReturnedProfile: Sendable, Equatable {
    /// An object with the members `userinfo` and `id_token`, of which one may be absent.
    case whole(JSON)
    /// The answer is longer than ``limit``.
    case tooLong

    /// The maximum length of the serialized object, in bytes.
    static let limit = 16 * 1024

    /// The member of a response or of a sealed identity that contains the profile or says that it was left out.
    package var member: (name: String, value: JSON) {
        switch self {
        case .whole(let profile): ("provider_profile", profile)
        case .tooLong: ("provider_profile_omitted", .bool(true))
        }
    }
}

extension VerifiedIdentity {
    /// The response of the user endpoint, which may contain credentials; `nil` if none was called.
    package var userInfo: JSON? { answer.userInfo }

    /// The provider's answer without tokens and secrets; `nil` if the provider sent none.
    package var returnedProfile: ReturnedProfile? {
        if answer.wasTooLong { return .tooLong }
        let filter = CredentialFilter(tokens)
        var members: [String: JSON] = [:]
        members["userinfo"] = answer.userInfo.map(filter.filtered)
        members["id_token"] = answer.idToken.map(filter.filtered)
        guard !members.isEmpty else { return nil }
        let profile = JSON.object(members)
        return profile.serialized().count <= ReturnedProfile.limit ? .whole(profile) : .tooLong
    }
}

/// Removes credentials from a provider's answer.
///
/// A provider may echo a token. The nonce of an ID token may be the value that an application posts with it.
private struct CredentialFilter {
    private static let names: Set<String> = [
        "access_token", "refresh_token", "id_token", "oauth_token", "oauth_token_secret", "client_secret", "nonce",
    ]

    private let secrets: [[UInt8]]

    init(_ tokens: ReturnedTokens) {
        secrets = [tokens.accessToken, tokens.idToken, tokens.refreshToken, tokens.oauthTokenSecret]
            .compactMap { $0.map { Array($0.secretText.utf8) } }
    }

    /// Returns a value without the members and elements that are credentials, at every depth.
    func filtered(_ value: JSON) -> JSON {
        switch value {
        case .object(let members):
            .object(members.filter { !Self.names.contains($0.key) && !isSecret($0.value) }.mapValues(filtered))
        case .array(let elements): .array(elements.filter { !isSecret($0) }.map(filtered))
        case .null, .bool, .integer, .real, .string: value
        }
    }

    private func isSecret(_ value: JSON) -> Bool {
        guard let text = value.string else { return false }
        return secrets.contains { $0.elementsEqual(text.utf8) }
    }
}
