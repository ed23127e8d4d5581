internal import Foundation
internal import JOSE
internal import Jansson
internal import OpenSSL
internal import Standards
internal import Stores

/// The collections of the store.
///
/// The raw values are stored, so that they must never change.
enum Collection: String, CaseIterable {
    /// The records of used credentials. The id is the digest of the record.
    case spent
    /// The uid of an identity. The id is the digest of provider and subject.
    case identities
    /// An account with its identities. The id is the digest of the uid, as for ``retired``, ``left`` and ``factors``.
    case accounts
    /// The accounts that have an address. The id is the digest of the address.
    case addresses
    /// The uids that may not be assigned again.
    case retired
    /// The uids of swept accounts whose Firebase users remain.
    case left
    /// The second factors of an account, its recovery codes and its counted tries. The id includes the tenant.
    case factors
    case handoffs
    case pending
    case devices
    /// The device grant of a user code.
    case userCodes = "user_codes"
    case audit
    case servers
    /// The identity of the database, and the times of the store.
    case meta
    /// The commits that made no other document, by which their outcome can be read.
    case commits

    /// The collections whose documents end, so that a TTL policy on the field ``Fields/expiryField`` may delete them.
    static let expiring: [Collection] = [.spent, .handoffs, .pending, .devices, .userCodes, .commits, .servers]
}

/// The name of a document within the database.
struct DocumentName: Hashable {
    let collection: Collection
    let id: String

    /// The name of a document that is found by a digest.
    ///
    /// Digests are spread evenly, so that no range of keys receives most of the writes.
    init(_ collection: Collection, digest: [UInt8]) {
        self.collection = collection
        id = Base64URL.encode(digest)
    }

    /// The name of a document that is found by texts, whose boundaries count.
    init(_ collection: Collection, of parts: String...) {
        var message = Array(collection.rawValue.utf8)
        for part in parts {
            // Eight octets of length, the most significant first.
            for shift in stride(from: 56, through: 0, by: -8) {
                message.append(UInt8(truncatingIfNeeded: part.utf8.count >> shift))
            }
            message += part.utf8
        }
        self.init(collection, digest: SHA256.hash(message))
    }

    /// A document that was found by a query.
    init(_ collection: Collection, id: String) {
        self.collection = collection
        self.id = id
    }

    var path: String { collection.rawValue + "/" + id }
}

/// The fields of a document, as Firestore writes them in JSON.
///
/// An accessor returns `nil` for a missing field and for a value of another type. Texts of callers are octets
/// (`bytesValue`), which are compared and ordered independently of Unicode.
struct Fields: Equatable {
    var values: [String: JSON] = [:]

    /// The random octets of the commit that made the document.
    static let attemptField = "attempt"
    /// The time after which a TTL policy may delete the document, as Firestore's own type of time.
    ///
    /// No decision uses it: Firestore deletes up to days later.
    static let expiryField = "expire_at"

    subscript(bytes name: String) -> [UInt8]? {
        get { values[name]?["bytesValue"]?.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) } }
        set { values[name] = newValue.map { Self.bytes($0) } }
    }

    /// A text as octets; `nil` also for octets that are not UTF-8.
    subscript(text name: String) -> String? {
        get { self[bytes: name].flatMap { String(validating: $0, as: UTF8.self) } }
        set { self[bytes: name] = newValue.map { Array($0.utf8) } }
    }

    subscript(integer name: String) -> Int64? {
        // JSON has no integers of 64 bits, so that Firestore writes them as strings.
        get { values[name]?["integerValue"]?.string.flatMap { Int64($0) } }
        set { values[name] = newValue.map { .object(["integerValue": .string(String($0))]) } }
    }

    subscript(time name: String) -> NumericDate? {
        get { self[integer: name].map { NumericDate($0) } }
        set { self[integer: name] = newValue?.seconds }
    }

    subscript(flag name: String) -> Bool? {
        get { values[name]?["booleanValue"]?.bool }
        set { values[name] = newValue.map { .object(["booleanValue": .bool($0)]) } }
    }

    /// A list of octets; empty for a missing field.
    subscript(list name: String) -> [[UInt8]] {
        get {
            (elements(name) ?? []).compactMap { $0["bytesValue"]?.string.flatMap { Data(base64Encoded: $0) } }
                .map { Array($0) }
        }
        set { values[name] = Self.array(newValue.map { Self.bytes($0) }) }
    }

    /// A list of maps; empty for a missing field.
    subscript(maps name: String) -> [Fields] {
        get { (elements(name) ?? []).map { Fields(values: $0["mapValue"]?["fields"]?.object ?? [:]) } }
        set {
            values[name] = Self.array(newValue.map { .object(["mapValue": .object(["fields": .object($0.values)])]) })
        }
    }

    /// Sets the end of the document, by which the program decides, and the time after which Firestore may delete it.
    ///
    /// It is deleted an hour later, so that a server whose clock is late by less finds it.
    mutating func setExpiry(_ end: NumericDate) {
        self[time: "expires"] = end
        values[Self.expiryField] = .object(["timestampValue": .string(Timestamp.text(of: end + .seconds(3600)))])
    }

    var expiry: NumericDate? { self[time: "expires"] }

    private func elements(_ name: String) -> [JSON]? { values[name]?["arrayValue"]?["values"]?.array }

    static func bytes(_ octets: [UInt8]) -> JSON {
        .object(["bytesValue": .string(Data(octets).base64EncodedString())])
    }

    private static func array(_ elements: [JSON]) -> JSON {
        .object(["arrayValue": .object(["values": .array(elements)])])
    }
}

extension Fields {
    /// Reads an identifier.
    ///
    /// - Throws: ``StoreError/corrupt`` for a missing field, and for octets that are not an identifier of this type.
    func identifier<Identifier: StoredIdentifier>(_ name: String) throws(StoreError) -> Identifier {
        guard let identifier: Identifier = try optionalIdentifier(name) else { throw .corrupt }
        return identifier
    }

    /// Reads an identifier as ``identifier(_:)`` does, or returns `nil` for a missing field.
    func optionalIdentifier<Identifier: StoredIdentifier>(_ name: String) throws(StoreError) -> Identifier? {
        guard values[name] != nil else { return nil }
        guard let octets = self[bytes: name] else { throw .corrupt }
        return try Identifier(octets: octets)
    }

    /// The list of uids; ``StoreError/corrupt`` if one is none.
    var uids: [UID] {
        get throws(StoreError) {
            var uids: [UID] = []
            for octets in self[list: "uids"] { uids.append(try UID(octets: octets)) }
            return uids
        }
    }
}

/// Times of Firestore: RFC 3339 in UTC, with up to nine digits after the second.
enum Timestamp {
    /// The last second of the year 9999, after which Firestore has no times.
    private static let last: Int64 = 253_402_300_799

    static func text(of date: NumericDate) -> String {
        Date(timeIntervalSince1970: Double(min(max(0, date.seconds), last))).formatted(.iso8601)
    }

    /// Reads a time, without the fraction of its second.
    static func date(_ text: String) -> NumericDate? {
        (try? Date(String(text.prefix(19)) + "Z", strategy: .iso8601))
            .map { NumericDate(Int64($0.timeIntervalSince1970)) }
    }
}

/// A document as it was read.
struct StoredDocument {
    let id: String
    let fields: Fields
    /// The time of its last change, as Firestore wrote it, which is the condition of the next change.
    let updateTime: String
}
