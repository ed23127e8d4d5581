internal import Firebase
internal import Jansson
package import Providers
internal import SecondFactors
package import Standards
internal import Stores
internal import Verification

/// Conflicts of browser and device flows, which their person settles on a page.
///
/// The verified address of a first sign-in belongs to another account. The person proves an identity of that account in
/// the same flow and the same browser. Then the new identity is linked, and the flow ends as that account.
struct ConflictPages: Sendable {
    let registrations: Registrations
    let pipeline: Pipeline
    let conflicts: Conflicts
    let rules: AccountRules

    /// The number of identities that a person may try before the flow ends.
    private static let tries = 3

    /// Opens the conflict of an identity, before anything is promised to its person.
    ///
    /// The identity is kept in the store until the conflict is settled. No account is made.
    ///
    /// - Parameters:
    ///   - identity: The identity of a flow that signs in.
    ///   - accounts: The accounts that have its address.
    /// - Returns: The conflict; `nil` if the configuration leaves conflicts to the client.
    /// - Throws: `StoreError`.
    func conflict(
        of identity: VerifiedIdentity, meeting accounts: [StoredAccount], for client: RegisteredClient
    ) async throws -> OpenConflict? {
        // If the client does not allow the address of the person, `/token` reports it.
        guard rules.settlesConflicts, client.allowsDomain(of: identity) else { return nil }
        return try await conflicts.open(identity, for: client, meeting: accounts)
    }

    /// Links the identity of a conflict to the account of a second identity.
    ///
    /// - Parameter identity: The identity that the person has just proven in this flow.
    /// - Throws: ``Refusal/conflictNotSettled`` after the last try, or the error of a step.
    func settle(
        _ conflict: OpenConflict, by identity: VerifiedIdentity, proving factor: ProvenFactor?,
        for client: RegisteredClient
    ) async throws -> Settlement {
        let holder = try await pipeline.holder(of: identity, for: client)
        let proven: ProvenIdentity
        do {
            proven = try await conflicts.identity(
                ofPending: conflict.handle, for: .settle, of: conflict.provider,
                by: holder.map { [$0.uid] } ?? [], client: client)
        } catch let refusal as Refusal where refusal.description == Refusal.unknownPendingCredential.description {
            // The account of the second identity is not one of the conflict. Nothing was spent.
            guard conflict.failures + 1 < Self.tries else { throw Refusal.conflictNotSettled }
            return .otherAccount(conflict.failedOnce())
        }
        try await pipeline.link(proven, toAccountOf: identity, proving: factor, for: client)
        return .settled(proven.identity)
    }

    /// Returns the identity of a conflict that its application has to report.
    ///
    /// - Parameter conflict: The conflict, for which the page offers no provider.
    /// - Returns: The identity. Its handle is spent.
    /// - Throws: A refusal if the identity is no longer in conflict, or `StoreError`.
    func identity(
        of conflict: OpenConflict, for client: RegisteredClient
    ) async throws -> VerifiedIdentity {
        try await conflicts.identity(
            ofPending: conflict.handle, for: .settle, of: conflict.provider, by: nil, client: client
        ).identity
    }

    /// Returns the page of a conflict.
    ///
    /// It offers the providers of the account that this client can use. If there are none, the page names the ways to
    /// sign in, and the person continues in the application.
    func prompt(_ conflict: OpenConflict, for client: RegisteredClient, handle: String) -> ConflictPrompt {
        ConflictPrompt(
            client: client, provider: registrations.name(of: conflict.provider), person: conflict.person,
            // `custom` stands for custom tokens of another issuer, which a person knows by no name.
            signInMethods: conflict.signInMethods.filter { $0 != .custom }
                .map(registrations.name),
            providers: providers(settling: conflict, for: client), isFull: conflict.isFull,
            isRepeated: conflict.failures > 0, handle: Secret(handle))
    }

    /// Returns the providers that the page offers, by the current configuration.
    func providers(settling conflict: OpenConflict, for client: RegisteredClient) -> [Provider] {
        registrations.providers(of: client).filter { offers($0.id, conflict) }
    }

    /// Returns a provider of the page, by the current configuration.
    func chosen(
        _ provider: ProviderID, for client: RegisteredClient, _ conflict: OpenConflict
    ) throws -> Provider {
        guard offers(provider, conflict) else { throw Refusal.unknownProvider }
        return try registrations.authorize(client.id, provider).provider
    }

    /// Whether a provider can settle a conflict.
    ///
    /// An account has at most one identity of each provider, so that the provider of the new identity cannot, and none
    /// can if every account of the conflict has one of that provider already.
    private func offers(_ provider: ProviderID, _ conflict: OpenConflict) -> Bool {
        !conflict.isFull && provider != conflict.provider
            && conflict.signInMethods.contains(provider)
    }
}

/// A conflict in the cookie of its flow.
struct OpenConflict {
    /// The handle of the identity in the store, which only this cookie contains.
    let handle: Secret
    /// The provider of the identity.
    let provider: ProviderID
    /// The address of the identity.
    let person: String?
    /// The providers and other ways to sign in of the accounts that have the address.
    let signInMethods: [ProviderID]
    /// Whether each of these accounts has another identity of the same provider, so that none can get the new one.
    let isFull: Bool
    /// The number of identities of other accounts that the person has proven.
    var failures = 0

    func failedOnce() -> Self {
        var conflict = self
        conflict.failures += 1
        return conflict
    }

    var json: JSON {
        var members: [String: JSON] = [
            "handle": .string(handle.secretText), "provider": .string(provider.text),
            "ways_in": .array(signInMethods.map { .string($0.text) }), "failures": .integer(Int64(failures)),
        ]
        if isFull { members["full"] = .bool(true) }
        // The address has to fit into a cookie.
        members["person"] = person.map { .string(String($0.unicodeScalars.prefix(120))) }
        return .object(members)
    }
}

extension OpenConflict {
    init?(_ content: JSON) {
        guard let handle = content["handle"]?.string, let provider = content["provider"]?.string,
            let signInMethods = content["ways_in"]?.array, let failures = content["failures"]?.integer
        else { return nil }
        self.init(
            handle: Secret(handle), provider: ProviderID(provider), person: content["person"]?.string,
            signInMethods: signInMethods.compactMap { $0.string.map { ProviderID($0) } },
            isFull: content["full"] == .bool(true),
            failures: Int(failures))
    }
}

/// The result of a second identity in a flow with a conflict.
enum Settlement {
    /// The first identity is linked to the account of the second one.
    case settled(VerifiedIdentity)
    /// The second identity belongs to another account, or to none.
    case otherAccount(OpenConflict)
}

/// The content of the page of a conflict.
package struct ConflictPrompt: Sendable {
    package let client: RegisteredClient
    /// The name of the provider of the new identity.
    package let provider: String
    /// The address of the new identity; `nil` if it is not known.
    package let person: String?
    /// The names of the providers with which the person signed in before, and ids of other ways, such as `password`.
    package let signInMethods: [String]
    /// The providers that can settle the conflict; if there are none, the person continues in the application.
    package let providers: [Provider]
    /// Whether the account has another identity of the same provider, so that it cannot get the new one.
    package let isFull: Bool
    /// Whether the person has proven an identity of another account.
    package let isRepeated: Bool
    /// The hidden field of the form.
    package let handle: Secret
}
