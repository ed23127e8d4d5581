/// The users of the project, or of one tenant.
///
/// As in the Firebase emulator, the index assigns a federated identity to the user who linked it last, although an
/// earlier user still lists it. If a user who lists it unlinks it or is deleted, it is removed from the index.
struct GoogleUserPool: Sendable {
    /// Bytes are compared, because Swift treats canonically equivalent strings as equal.
    private typealias Key = [UInt8]

    private struct LinkKey: Hashable {
        let provider: Key
        let raw: Key

        init(_ providerID: String, _ rawID: String) {
            provider = Key(providerID.utf8)
            raw = Key(rawID.utf8)
        }
    }

    private var users: [Key: GoogleUser] = [:]
    private var owners: [LinkKey: Key] = [:]

    subscript(localID: String) -> GoogleUser? { users[Key(localID.utf8)] }

    /// Finds a user by an e-mail address in lower case.
    func user(email: String) -> GoogleUser? {
        users.values.first { $0.email.map { $0.utf8.elementsEqual(email.utf8) } == true }
    }

    func user(phoneNumber: String) -> GoogleUser? {
        users.values.first { $0.phoneNumber == phoneNumber }
    }

    func user(providerID: String, rawID: String) -> GoogleUser? {
        owners[LinkKey(providerID, rawID)].flatMap { users[$0] }
    }

    /// All users in the order of the bytes of their ids.
    var all: [GoogleUser] {
        users.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// Adds a user, or replaces the user with the same id.
    mutating func put(_ user: GoogleUser) {
        let key = Key(user.localID.utf8)
        let before = users[key]?.links ?? []
        for link in before where !user.links.contains(link) {
            owners[LinkKey(link.providerID, link.rawID)] = nil
        }
        for link in user.links where !before.contains(link) {
            owners[LinkKey(link.providerID, link.rawID)] = key
        }
        users[key] = user
    }

    /// Returns `false` if there is none.
    mutating func remove(_ localID: String) -> Bool {
        guard let user = users.removeValue(forKey: Key(localID.utf8)) else { return false }
        for link in user.links { owners[LinkKey(link.providerID, link.rawID)] = nil }
        return true
    }
}
