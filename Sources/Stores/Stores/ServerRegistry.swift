package import JOSE

/// A store that records which servers use it, and with which keys each of them seals.
///
/// A server must be able to open what any other server of its store has sealed. The store is the only place that all of
/// them know, so each writes the fingerprints of its keys there.
package protocol ServerRegistry: Sendable {
    /// Records that a server runs, in place of its earlier record, and deletes the records of servers that are gone.
    ///
    /// Each server calls it every few seconds.
    ///
    /// - Parameter now: The caller's clock.
    /// - Throws: ``StoreError``. The call can always be repeated.
    func announce(_ server: RunningServer, at now: NumericDate) async throws(StoreError)

    /// Deletes the record of a server that stops.
    func withdraw(_ id: [UInt8]) async throws(StoreError)

    /// Reads the servers that were announced within ``RunningServer/lifetime``, ordered by name.
    func servers(at now: NumericDate) async throws(StoreError) -> [RunningServer]
}

/// A server as it describes itself to the others that use its store.
package struct RunningServer: Sendable, Equatable {
    /// Random octets that belong to one process, so that processes with the same name have records of their own.
    package let id: [UInt8]
    /// The name by which an operator finds the process.
    package let name: String
    package let keys: KeyFingerprints

    package init(id: [UInt8], name: String, keys: KeyFingerprints) {
        self.id = id
        self.name = name
        self.keys = keys
    }

    /// The maximum age of the record of a running server.
    ///
    /// A server that was killed counts for this time. It is longer than a minute, by which the clocks of two servers may
    /// differ.
    package static let lifetime = Duration.seconds(90)
}

/// The fingerprints of a server's keys, each list in the order of the configuration: the first key seals, all of them
/// open.
package struct KeyFingerprints: Sendable, Equatable {
    package let sealKeys: [String]
    package let storeKeys: [String]

    package init(sealKeys: [String], storeKeys: [String]) {
        self.sealKeys = sealKeys
        self.storeKeys = storeKeys
    }
}

extension KeyFingerprints {
    /// The text in which a store keeps a list: fingerprints, which have no spaces, with one space between them.
    package static func text(of list: [String]) -> String { list.joined(separator: " ") }

    package static func list(in text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
