internal import CLibpq

/// A statement with `$1`, `$2` … for its values, prepared once per session.
package struct Statement: Sendable, Hashable {
    package let sql: String
    /// Whether the statement writes, and thus commits outside of a transaction.
    package let writes: Bool

    /// A statement that only reads.
    ///
    /// The SQL must not contain values.
    package static func reading(_ sql: String) -> Self { Self(sql: sql, writes: false) }

    /// A statement that changes or locks rows.
    ///
    /// The SQL must not contain values.
    package static func writing(_ sql: String) -> Self { Self(sql: sql, writes: true) }
}

/// A value for a `$n` of a statement.
package enum Value: Sendable, Hashable {
    /// A `bytea`; `nil` is SQL null.
    case bytes([UInt8]?)
    /// A `bigint`; `nil` is SQL null.
    case integer(Int64?)
    /// A `boolean`.
    case flag(Bool)
    /// A `text`, which must not contain U+0000.
    case text(String)
}

/// The values of one statement in libpq's binary format.
struct EncodedValues {
    private let bytes: [CChar]
    /// The offsets of the values in `bytes`; `nil` for SQL null.
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
        // An empty value needs a pointer, since a null pointer means SQL null.
        self.bytes = bytes + [0]
        self.starts = starts
        self.lengths = lengths
    }

    /// Sends the execution of a prepared statement, with results in binary format.
    ///
    /// - Returns: 1, or 0 if the message could not be sent completely.
    func send(to connection: OpaquePointer, statement name: String) -> CInt {
        unsafe withPointers { pointers, formats in
            unsafe PQsendQueryPrepared(connection, name, CInt(lengths.count), pointers, lengths, formats, 1)
        }
    }

    /// Sends a statement and its execution together, with results in binary format.
    ///
    /// - Returns: 1, or 0 if the message could not be sent completely.
    func send(to connection: OpaquePointer, sql: String, types: [Oid]) -> CInt {
        unsafe withPointers { pointers, formats in
            unsafe PQsendQueryParams(connection, sql, CInt(lengths.count), types, pointers, lengths, formats, 1)
        }
    }

    private func withPointers(_ body: ([UnsafePointer<CChar>?], [CInt]) -> CInt) -> CInt {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            let pointers = unsafe starts.map { start in
                unsafe start.flatMap { start in unsafe buffer.baseAddress.map { unsafe $0 + start } }
            }
            return unsafe body(pointers, [CInt](repeating: 1, count: lengths.count))
        }
    }
}

extension Value {
    /// The number of the type in `pg_type`, which never changes for a built-in type.
    var type: Oid {
        switch self {
        case .flag: 16
        case .bytes: 17
        case .integer: 20
        case .text: 25
        }
    }

    fileprivate var encoded: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        // Eight bytes, the most significant first.
        case .integer(let number):
            number.map { number in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
            }
        case .flag(let isSet): [isSet ? 1 : 0]
        case .text(let text): Array(text.utf8)
        }
    }
}
