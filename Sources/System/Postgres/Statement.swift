internal import CLibpq

/// A statement with `$1`, `$2` … for its values, prepared once per connection.
package struct Statement: Sendable, Hashable {
    package let sql: String
    /// Outside of a transaction such a statement commits by itself.
    package let writes: Bool

    /// Plain SQL; values never stand in it.
    package static func reading(_ sql: String) -> Self { Self(sql: sql, writes: false) }

    /// The same, for all that changes a row.
    package static func writing(_ sql: String) -> Self { Self(sql: sql, writes: true) }
}

/// What is sent for a `$n`.
package enum Value: Sendable, Hashable {
    /// `bytea`
    case bytes([UInt8]?)
    /// `bigint`
    case integer(Int64)
    /// `text`, without U+0000.
    case text(String)

    /// As `bytea`: compared octet by octet, whatever collation the database has.
    package static func bytes(of text: String) -> Self { .bytes(Array(text.utf8)) }
}

/// The values of one statement in libpq's binary format.
struct EncodedValues {
    private let bytes: [CChar]
    /// Nil is SQL's null.
    private let starts: [Int?]
    private let lengths: [CInt]

    init(_ values: [Value]) {
        var bytes: [CChar] = []
        var starts: [Int?] = []
        var lengths: [CInt] = []
        for value in values {
            let encoded = value.encoded
            starts.append(encoded == nil ? nil : bytes.count)
            lengths.append(CInt(encoded?.count ?? 0))
            bytes += (encoded ?? []).map { CChar(bitPattern: $0) }
        }
        // An empty value is told from null by its pointer, so there has to be something to point at.
        self.bytes = bytes + [0]
        self.starts = starts
        self.lengths = lengths
    }

    /// Sends the execution of a prepared statement, with results in binary format.
    ///
    /// - Returns: 1, or 0 where it could not be sent whole.
    func send(to connection: OpaquePointer, statement name: String) -> CInt {
        let formats = [CInt](repeating: 1, count: lengths.count)
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            let pointers = unsafe starts.map { start in
                unsafe start.flatMap { start in unsafe buffer.baseAddress.map { unsafe $0 + start } }
            }
            return unsafe PQsendQueryPrepared(
                connection, name, CInt(lengths.count), pointers, lengths, formats, 1)
        }
    }
}

extension Value {
    /// The type's number in `pg_type`, which never changes for the built-in types.
    var type: Oid {
        switch self {
        case .bytes: 17
        case .integer: 20
        case .text: 25
        }
    }

    fileprivate var encoded: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        // Eight bytes, the most significant first.
        case .integer(let number): stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        case .text(let text): Array(text.utf8)
        }
    }
}
