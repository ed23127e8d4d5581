internal import Stores

/// A key with which servers seal, and which other servers of the same store do not have.
///
/// The lists need not be equal: while a key is replaced, they differ at each step, and every server can still open what
/// any server seals.
struct MissingKey: Sendable, Equatable {
    /// A list of keys of the configuration.
    enum List: String, CaseIterable {
        case sealKeys = "seal_keys"
        case storeKeys = "store_keys"

        func fingerprints(of keys: KeyFingerprints) -> [String] {
            switch self {
            case .sealKeys: keys.sealKeys
            case .storeKeys: keys.storeKeys
            }
        }
    }

    let list: List
    let fingerprint: String
    /// The names of the servers whose first key it is.
    let sealing: [String]
    /// The names of the servers that do not have it.
    let lacking: [String]

    /// Compares the keys of servers.
    ///
    /// - Parameter servers: The servers. One with an empty list is not compared, because its keys are not known.
    /// - Returns: The first key of each server that is not in the list of every other one, each key once.
    static func among(_ servers: [RunningServer]) -> [MissingKey] {
        List.allCases.flatMap { missing(in: $0, servers) }
    }

    private static func missing(in list: List, _ servers: [RunningServer]) -> [MissingKey] {
        let servers = servers.map { (name: $0.name, keys: list.fingerprints(of: $0.keys)) }.filter { !$0.keys.isEmpty }
        let keys = Set(servers.compactMap(\.keys.first)).sorted().map { key in
            MissingKey(
                list: list, fingerprint: key, sealing: servers.filter { $0.keys.first == key }.map(\.name),
                lacking: servers.filter { !$0.keys.contains(key) }.map(\.name))
        }
        return keys.filter { !$0.lacking.isEmpty }
    }
}
