internal import Stores

/// Compares the keys of the configuration with those of the servers that use the store.
enum KeyChecks {
    private static let here = "the configuration of this command"
    private static let nameLimit = 5

    /// - Parameters:
    ///   - own: The keys of the configuration; a list is empty if its key file does not exist yet.
    ///   - servers: The servers that run; `nil` if the store could not be read.
    /// - Returns: An error for each key that seals somewhere and is missing elsewhere; otherwise one finding for each list.
    static func findings(_ own: KeyFingerprints, _ servers: [RunningServer]?) -> [Finding] {
        let missing = MissingKey.among((servers ?? []) + [RunningServer(id: [], name: here, keys: own)])
        return MissingKey.List.allCases.flatMap { list in
            let faults = missing.filter { $0.list == list }.map(fault)
            return faults.isEmpty ? [agreement(list, list.fingerprints(of: own), servers?.count)] : faults
        }
    }

    private static func fault(_ key: MissingKey) -> Finding {
        let list = key.list.rawValue
        return Finding(
            list, of: key.fingerprint, .error,
            "This key seals at \(names(key.sealing)), and \(list) does not contain it at \(names(key.lacking)).",
            remedy:
                "Write the same \(list) at every server, and reload. To replace a key, add the new one at the end of the "
                + "list at every server before it seals at any. A server that was killed is listed for "
                + "\(Int(RunningServer.lifetime / .seconds(1))) seconds.")
    }

    private static func agreement(_ list: MissingKey.List, _ own: [String], _ count: Int?) -> Finding {
        let fingerprints =
            own.isEmpty
            ? "The key file does not exist yet." : "Fingerprints of the keys here: \(own.joined(separator: " "))"
        return switch count {
        case nil:
            Finding(list.rawValue, .info, "The keys of servers are not known without the store. \(fingerprints)")
        case 0?: Finding(list.rawValue, .info, "No server of this store runs. \(fingerprints)")
        case let count?:
            Finding(
                list.rawValue, .ok,
                "Every server (\(count)) has each key that seals here or at another server. \(fingerprints)")
        }
    }

    /// Joins names, the first five of them.
    private static func names(_ names: [String]) -> String {
        let shown = names.prefix(nameLimit).joined(separator: ", ")
        return names.count > nameLimit ? "\(shown) and \(names.count - nameLimit) more" : shown
    }
}
