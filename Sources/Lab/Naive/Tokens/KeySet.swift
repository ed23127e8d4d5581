internal import AttackLab
internal import Jansson
internal import Transport

/// The keys that a provider publishes, fetched when they are needed and kept for five minutes.
actor KeySet {
    typealias Keys = [(id: String?, key: PublicKey)]

    private let url: String
    private let peer: Peer
    private let kit: Kit
    private var kept: (keys: Keys, until: Int64)?
    private var underWay: Task<Result<Keys, ProviderTrouble>, Never>?
    /// Not before this time is the set fetched again for a key id that nobody knows.
    private var nextUnplanned: Int64 = 0

    init(_ url: String, peer: Peer, kit: Kit) {
        self.url = url
        self.peer = peer
        self.kit = kit
    }

    /// The one key that a token can mean.
    func key(for token: SignedToken) async throws(Refusal) -> PublicKey {
        let keys = try await current()
        if let key = Self.choose(token, keys) { return key }
        // Keys are rotated now and then. Whoever makes key ids up must not make us fetch each time.
        guard kit.makes(.keysFetchedAtWill) || kit.now >= nextUnplanned else { throw .unknownKey }
        nextUnplanned = kit.now + 60
        guard let key = Self.choose(token, try await fetched()) else { throw .unknownKey }
        return key
    }

    static func choose(_ token: SignedToken, _ keys: Keys) -> PublicKey? {
        guard let id = token.keyID else {
            let fitting = keys.filter { $0.key.algorithm == token.algorithm }
            return fitting.count == 1 ? fitting[0].key : nil
        }
        return keys.first { $0.id.map { same($0, id) } ?? false }?.key
    }

    /// Any document of this form, wherever it stands.
    static func fetch(_ url: String, peer: Peer) async throws(ProviderTrouble) -> Keys {
        let response = try await peer.send(
            OutboundRequest(.get, url, header: [HeaderField("Accept", "application/json")]))
        guard response.status == 200 else { throw ProviderTrouble(status: response.status) }
        guard let entries = (try? JSON.parse(response.body, maximumBytes: 256 * 1024))?["keys"]?.array,
            entries.count <= 50
        else { throw .refused }
        let ids = entries.compactMap { $0["kid"]?.string }
        return entries.compactMap { entry in
            let id = entry["kid"]?.string
            // A name that two keys have names neither.
            guard ids.count(where: { $0 == id }) <= 1 else { return nil }
            return PublicKey(entry).map { (id, $0) }
        }
    }

    private func current() async throws(Refusal) -> Keys {
        if let kept, kit.now < kept.until { return kept.keys }
        return try await fetched()
    }

    /// One fetch for all who wait.
    private func fetched() async throws(Refusal) -> Keys {
        let task =
            underWay
            ?? Task { [url, peer] in
                do throws(ProviderTrouble) {
                    return .success(try await Self.fetch(url, peer: peer))
                } catch {
                    return .failure(error)
                }
            }
        underWay = task
        let result = await task.value
        underWay = nil
        do {
            let keys = try result.get()
            kept = (keys, kit.now + 300)
            return keys
        } catch {
            // Nothing of the credential has gone anywhere.
            throw error.refusal(isGivenBack: true)
        }
    }
}
