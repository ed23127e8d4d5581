internal import Stores

/// The rule that an account has one identity of each provider at most.
enum OneOfEachProvider {
    /// In the order of the providers' octets; an identity that is there twice is one.
    static func sorted(_ identities: [StoredIdentity]) throws(ImportFault) -> [StoredIdentity] {
        var kept: [StoredIdentity] = []
        for identity in identities where !kept.contains(where: { $0.identity == identity.identity }) {
            let provider = identity.identity.provider
            guard !kept.contains(where: { $0.identity.provider.utf8.elementsEqual(provider.utf8) }) else {
                throw .twoIdentities(provider: provider)
            }
            kept.append(identity)
        }
        return kept.sorted { $0.identity.provider.utf8.lexicographicallyPrecedes($1.identity.provider.utf8) }
    }
}
