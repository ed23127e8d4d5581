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
