internal import JOSE
internal import Jansson
package import Stores
internal import Transport

/// What an operator sets up and verifies once.
extension FirestoreStore {
    /// The settings of fields that a database needs: a TTL policy for each collection that expires, and no index that no query
    /// reads.
    ///
    /// Firestore takes at most about 500 writes a second to an index whose values grow with the time. Collections that
    /// queries read keep the indexes of the other fields.
    private static let policies: [FieldPolicy] =
        Collection.expiring.map { FieldPolicy(collection: $0, field: Fields.expiryField, setting: .expiry) }
        + Collection.expiring.filter { $0 != .servers }.map {
            FieldPolicy(collection: $0, field: "*", setting: .noIndex)
        }
        + ["id", "line", "uid"].map { FieldPolicy(collection: .audit, field: $0, setting: .noIndex) }
        + ["created_at", "delete_after", "identities"].map {
            FieldPolicy(collection: .accounts, field: $0, setting: .noIndex)
        }

    /// Finds the settings of fields that the database lacks.
    ///
    /// - Returns: Their names in a fixed order; none for the emulator, which has no such settings.
    package func missingPolicies() async throws(StoreError) -> [String] { try await lacking().map(\.description) }

    /// Makes the settings of fields that the database lacks.
    ///
    /// Firestore needs some minutes until they have an effect.
    ///
    /// - Returns: The names of those that were missing.
    /// - Throws: ``StoreError``. Settings that were made before the error remain.
    package func makePolicies() async throws(StoreError) -> [String] {
        var made: [String] = []
        for policy in try await lacking() {
            let answer = try await client.read(
                policy.path(in: client.place) + "?updateMask=\(policy.setting.member)",
                .object([
                    "name": .string(policy.path(in: client.place)), policy.setting.member: policy.setting.value,
                ]), method: .patch)
            guard answer != nil else { throw .unavailable(.databaseMissing) }
            made.append(policy.description)
        }
        return made
    }

    private func lacking() async throws(StoreError) -> [FieldPolicy] {
        guard client.place.emulator == nil else { return [] }
        var missing: [FieldPolicy] = []
        for policy in Self.policies {
            let answer = try await client.read(policy.path(in: client.place), nil)
            if !policy.setting.isIn(answer) { missing.append(policy) }
        }
        return missing
    }

    /// Reads, lists and writes as a server does.
    ///
    /// - Returns: The time of the fastest of five readings.
    /// - Throws: ``StoreError`` of the first call that fails.
    package func examine() async throws(StoreError) -> Duration {
        var fastest = Duration.seconds(3600)
        for _ in 0..<5 {
            let began = client.patience.clock()
            _ = try await client.get([FirstStart.name])
            fastest = min(fastest, began.duration(to: client.patience.clock()))
        }
        _ = try await accounts(after: nil, atMost: 1)
        try await check()
        return fastest
    }

    /// Returns the region of the database, such as `europe-west3`, or its multi-region.
    ///
    /// The same resource has the identity of the database, which differs after a restore.
    ///
    /// - Returns: The name; empty if Firestore does not say it, and `nil` if the server may not read the resource.
    package func location() async throws(StoreError) -> String? {
        do throws(StoreError) {
            return try await client.database()["locationId"]?.string ?? ""
        } catch .unavailable(.privilegeMissing, _) {
            return nil
        }
    }

    /// Finds the collections that a caller without a token can read.
    ///
    /// All requests are sent at the same time.
    ///
    /// - Parameter apiKey: The project's API key, which every application contains; `nil` if it is not known.
    /// - Returns: The names of the collections, none for the emulator, at which everyone can read everything; and the
    ///   first failure of a request, after which nothing is known of its collection.
    package func openCollections(apiKey: String?) async -> (names: [String], failure: StoreError?) {
        guard client.place.emulator == nil else { return ([], nil) }
        let transport = client.transport
        return await withTaskGroup(of: (Collection, Result<Bool, StoreError>).self) { group in
            for collection in Collection.allCases {
                let path = client.place.base + client.place.documents + "/" + collection.rawValue
                // Security rules allow to get a document and to list a collection separately.
                for url in [path + "/none?", path + "?pageSize=1"] {
                    for url in [url, apiKey.map { url + "&key=" + $0 }].compactMap(\.self) {
                        group.addTask { (collection, await Self.isOpen(url, transport)) }
                    }
                }
            }
            var open: Set<Collection> = []
            var failure: StoreError?
            for await (collection, result) in group {
                switch result {
                case .success(true): open.insert(collection)
                case .success(false): break
                case .failure(let error): failure = failure ?? error
                }
            }
            return (Collection.allCases.filter(open.contains).map(\.rawValue), failure)
        }
    }

    private static func isOpen(_ url: String, _ transport: HTTPTransport) async -> Result<Bool, StoreError> {
        do throws(TransportError) {
            let response = try await transport.send(OutboundRequest(.get, url, timeout: .seconds(3)))
            let body = try? JSON.parse(response.body)
            guard response.status != 200 else { return .success(body?.object != nil) }
            // A document that could be read, and does not exist, has this status; and so has a missing database.
            let message = body?["error"]?["message"]?.string ?? ""
            return .success(response.status == 404 && message.hasPrefix("Document "))
        } catch {
            return .failure(.unavailable(.noAnswer, cause: error.sentence))
        }
    }
}

/// A setting of a field of a collection.
private struct FieldPolicy: CustomStringConvertible {
    enum Setting {
        case expiry
        case noIndex

        /// The member of the resource `Field` that has the setting.
        var member: String {
            switch self {
            case .expiry: "ttlConfig"
            case .noIndex: "indexConfig"
            }
        }

        var value: JSON {
            switch self {
            case .expiry: .object([:])
            case .noIndex: .object(["indexes": .array([])])
            }
        }

        func isIn(_ field: JSON?) -> Bool {
            switch self {
            case .expiry:
                return field?["ttlConfig"].map { $0["state"]?.string != "NEEDS_REPAIR" } ?? false
            case .noIndex:
                guard let index = field?["indexConfig"], index["usesAncestorConfig"]?.bool != true else { return false }
                return index["indexes"]?.array?.isEmpty ?? true
            }
        }
    }

    let collection: Collection
    let field: String
    let setting: Setting

    func path(in place: FirestorePlace) -> String {
        place.name + "/collectionGroups/\(collection.rawValue)/fields/\(field)"
    }

    var description: String {
        switch setting {
        case .expiry: "TTL policy of \(collection.rawValue)"
        case .noIndex: "exemption of \(collection.rawValue)\(field == "*" ? "" : ".\(field)") from indexes"
        }
    }
}
