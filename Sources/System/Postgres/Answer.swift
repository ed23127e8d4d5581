/// What a statement came to.
package struct Answer: Sendable {
    package let rows: [Row]
    /// How many rows it inserted, changed or removed; for a query, how many it found.
    package let count: Int
    /// The command's name first, as in `INSERT 0 1` or `COMMIT`.
    let tag: String
}

/// One row, its columns in the order in which the statement names them.
package struct Row: Sendable {
    let columns: [[UInt8]?]

    /// Nil for null, and where there is no such column.
    package func bytes(_ index: Int) -> [UInt8]? {
        columns.indices.contains(index) ? columns[index] : nil
    }

    /// A `bigint`; nil for null and for any other type.
    package func integer(_ index: Int) -> Int64? {
        guard let bytes = bytes(index), bytes.count == 8 else { return nil }
        return Int64(bitPattern: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    /// A `text`, or what is UTF-8 in a `bytea`; nil for null.
    package func text(_ index: Int) -> String? {
        bytes(index).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
