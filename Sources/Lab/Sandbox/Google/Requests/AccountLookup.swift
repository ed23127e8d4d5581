import Jansson

/// The body of `accounts:lookup` as administrators send it.
struct AccountLookup: Sendable {
    private let localIDs: [String]
    private let emails: [String]
    private let phoneNumbers: [String]
    private let identities: [(providerID: String, rawID: String)]

    /// - Throws: for more than 100 identifiers.
    init(_ input: inout ControlInput) throws(ControlError) {
        localIDs = try input.strings("localId")
        emails = try input.strings("email").map { $0.lowercased() }
        phoneNumbers = try input.strings("phoneNumber")
        var identities: [(providerID: String, rawID: String)] = []
        for var identity in try input.inputs("federatedUserId") ?? [] {
            identities.append((try identity.requiredString("providerId"), try identity.requiredString("rawId")))
            try identity.finish()
        }
        self.identities = identities
        input.ignore("targetProjectId", "tenantId")
        guard localIDs.count + emails.count + phoneNumbers.count + identities.count <= 100 else {
            throw .invalid(member: "localId", expected: "100 identifiers at most")
        }
    }

    /// Each once.
    func users(in pool: GoogleUserPool) -> [GoogleUser] {
        var found: [GoogleUser] = []
        found += localIDs.compactMap { pool[$0] }
        found += emails.compactMap { pool.user(email: $0) }
        found += phoneNumbers.compactMap { pool.user(phoneNumber: $0) }
        found += identities.compactMap { pool.user(providerID: $0.providerID, rawID: $0.rawID) }
        var seen: Set<[UInt8]> = []
        return found.filter { seen.insert(Array($0.localID.utf8)).inserted }
    }
}
