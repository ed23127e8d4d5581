internal import Jansson

/// How a server of the test bed differs from the usual one.
struct ServerPlan: Sendable {
    /// Part of file names.
    var name: String
    /// Members of the configuration by path, as `limits.exchange_per_address`; nil takes a member away.
    var changes: [(path: [String], value: JSON?)] = []
    /// Beside the process's own.
    var environment: [String: String] = [:]
    /// Seconds by which the server's clock is wrong.
    var clockOffset: Int64 = 0
    /// Commands of the shell that come first, such as `ulimit -c unlimited`; what they set, the server inherits.
    var prelude = ""
    /// Further arguments of `serve`.
    var flags: [String] = []
    /// Off for a server that cannot become ready: then it is started once it answers at all.
    var waitsUntilReady = true
    /// Shares store and seals with the usual server; otherwise it has its own.
    var sharesStore = false

    init(_ name: String) { self.name = name }

    mutating func set(_ path: String, _ value: JSON?) {
        changes.append((path.split(separator: "/").map(String.init), value))
    }
}

extension JSON {
    /// The same with the member at `path` set, or taken away by nil; objects on the way are made.
    func setting(_ path: [String], to value: JSON?) -> JSON {
        guard let name = path.first else { return value ?? .null }
        var members = object ?? [:]
        if path.count == 1 {
            members[name] = value
        } else {
            members[name] = (members[name] ?? .object([:])).setting(Array(path.dropFirst()), to: value)
        }
        return .object(members)
    }
}
