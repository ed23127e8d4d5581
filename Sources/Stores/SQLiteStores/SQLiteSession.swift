internal import Foundation
internal import GRDB
package import JOSE
package import Standards
package import Stores

/// The connection of an SQLite database, on which one call runs at a time.
///
/// Transactions that write run one after another, so that no call needs to lock a row or to claim a uid or an address.
package struct SQLiteSession: SQLSession {
    let database: Database

    package func run(_ sql: String, writes: Bool, _ values: [SQLValue]) throws -> SQLAnswer {
        let statement = try database.cachedStatement(sql: sql)
        let arguments = StatementArguments(values.map(\.stored))
        guard statement.columnCount > 0 else {
            try statement.execute(arguments: arguments)
            return SQLAnswer(rows: [], count: database.changesCount)
        }
        let rows = try Row.fetchAll(statement, arguments: arguments)
        return SQLAnswer(rows: rows, count: rows.count)
    }

    // SQLite ignores a row whose expires_at is null. For an INSERT with SELECT it would first copy each page that it changes
    // into a statement journal, for which it allocates 64 KiB.
    package static let spending = """
        INSERT OR IGNORE INTO spent (kind, digest, expires_at) VALUES (?1, ?2, CASE WHEN \(isWatched) THEN ?3 END)
        """

    package static var rowLock: String { "" }
    package static var pollInterval: String { "interval" }
    package static var machineClock: String { "NULL" }
    package static var overtaken: any Error { StoreError.corrupt }

    package func reserve(uid: UID) -> Bool { true }
    package func release(uid: UID) {}

    package func claim(_ email: EmailAddress, uid: UID) throws -> Bool {
        try accounts(email: email, except: uid).isEmpty
    }

    package func releaseEmail(uid: UID) {}
    package func moveEmail(from uid: UID, to other: UID) {}

    package func spend(
        _ record: SpentRecord, finding identity: ExternalIdentity, at now: NumericDate
    ) throws -> (refusal: SpendRefusal?, known: KnownIdentity?) {
        // The lookup runs first, so that nothing is spent if it fails, without a savepoint.
        let known = try known(identity)
        let refusal = try spend(record, at: now)
        return (refusal, refusal == nil ? known : nil)
    }
}

extension SQLValue {
    fileprivate var stored: DatabaseValue {
        switch self {
        case .bytes(let bytes): bytes.map { Data($0).databaseValue } ?? .null
        case .integer(let number): number?.databaseValue ?? .null
        case .flag(let isSet): isSet.databaseValue
        case .text(let text): text.databaseValue
        case .content(let text): text?.databaseValue ?? .null
        }
    }
}

extension Row: SQLRow {
    // A damaged page may contain any type, and GRDB's typed subscripts trap on an unexpected one.
    package func bytes(_ column: Int) -> [UInt8]? { Data.fromDatabaseValue(self[column]).map { Array($0) } }

    package func text(_ column: Int) -> String? {
        Data.fromDatabaseValue(self[column]).map { String(decoding: $0, as: UTF8.self) }
    }

    package func integer(_ column: Int) -> Int64? { Int64.fromDatabaseValue(self[column]) }

    package func flag(_ column: Int) -> Bool? { Bool.fromDatabaseValue(self[column]) }
}
