package import JOSE
internal import Jansson
package import Stores

/// Firebase's users, as its admin SDKs reach them: Identity Toolkit REST v1.
///
/// A question that is safe to repeat is repeated while its time lasts; all others are sent once. Nothing is kept: a
/// user who was disabled a moment ago is seen as disabled.
package struct IdentityToolkit: Sendable {
    /// More identifiers are asked for in several requests.
    private static let lookupLimit = 100

    let endpoint: IdentityToolkitEndpoint

    package init(_ endpoint: IdentityToolkitEndpoint) {
        self.endpoint = endpoint
    }

    /// The same project's users of a tenant; nil for those of none.
    package func of(tenantID: String?) -> IdentityToolkit { IdentityToolkit(endpoint.of(tenantID: tenantID)) }

    /// The same users; every question is over at a moment, however many there are.
    package func until(_ deadline: NumericDate) -> IdentityToolkit { IdentityToolkit(endpoint.until(deadline)) }

    /// The users of any of these uids, identities and addresses, each once, in no order.
    ///
    /// What no user has is left out. An address finds its user whether it is verified or not.
    package func lookup(
        uids: [String] = [], identities: [ExternalIdentity] = [], emails: [EmailAddress] = []
    ) async throws(IdentityToolkitError) -> [FirebaseUserRecord] {
        var identifiers: [(member: String, value: JSON)] = uids.map { ("localId", .string($0)) }
        for identity in identities {
            let value = JSON.object(["providerId": .string(identity.provider), "rawId": .string(identity.subject)])
            identifiers.append(("federatedUserId", value))
        }
        identifiers += emails.map { ("email", .string($0.text)) }

        var users: [FirebaseUserRecord] = []
        var rest = identifiers[...]
        while !rest.isEmpty {
            var body: [String: JSON] = [:]
            for (member, value) in rest.prefix(Self.lookupLimit) {
                body[member] = .array((body[member]?.array ?? []) + [value])
            }
            rest = rest.dropFirst(Self.lookupLimit)
            let answer = try await endpoint.ask("accounts:lookup", .object(body), .reading)
            // A member that is no list says nothing of who there is: a known person would be taken for a new one.
            for user in try answer.list("users") {
                let record = try FirebaseUserRecord(user)
                if !users.contains(where: { $0.hasUID(record.uid) }) { users.append(record) }
            }
        }
        return users
    }

    package func user(_ uid: String) async throws(IdentityToolkitError) -> FirebaseUserRecord? {
        try await lookup(uids: [uid]).first { $0.hasUID(uid) }
    }
}
