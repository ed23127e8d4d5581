internal import CJansson

extension JSON {
    /// The value as a JSON text in UTF-8, without white space, the members of an object in the order of their names'
    /// bytes: equal values give equal texts.
    ///
    /// Solidus and everything beyond ASCII stand unescaped. A real is written with 17 digits, so that it reads back as
    /// the same number. The text may be a scalar, which ``parse(_:maximumBytes:maximumDepth:)`` would refuse.
    ///
    /// - Precondition: every real in it is finite; JSON has no other.
    package func serialized() -> [UInt8] {
        _ = hashIsSeeded
        let tree = unsafe Tree(adopting: newReference())
        let flags = Int(JSON_COMPACT) | Int(JSON_SORT_KEYS) | Int(JSON_ENCODE_ANY)
        var capacity = serializedCountGuess
        while true {
            var needed = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                // "json_dumpb: Writes the JSON representation of json to the buffer of size bytes. Returns the number
                // of bytes that would be written or 0 on error. […] buffer is not null-terminated. This function
                // never writes more than size bytes. If the return value is greater than size, the contents of the
                // buffer are undefined."
                unsafe needed = cjansson_dumpb(tree.root, buffer.baseAddress, capacity, flags)
                count = min(needed, capacity)
            }
            precondition(needed > 0, "jansson could not write a tree that was just built.")
            if needed <= capacity { return bytes }
            capacity = needed
        }
    }

    /// About as many octets as ``serialized()`` gives; more only where a string needs escapes or a number many digits.
    private var serializedCountGuess: Int {
        switch self {
        case .null, .bool: 5
        case .integer: 12
        case .real: 24
        case .string(let text): 2 + text.utf8.count
        case .array(let elements): 2 + elements.reduce(0) { $0 + 1 + $1.serializedCountGuess }
        case .object(let members):
            2 + members.reduce(0) { $0 + 4 + $1.key.utf8.count + $1.value.serializedCountGuess }
        }
    }

    /// As many octets as ``serialized()`` gives at most, found without writing it.
    package var serializedCountLimit: Int {
        switch self {
        case .null, .bool: 5
        case .integer: 20
        case .real: 32
        // RFC 8259 §7: one octet takes six at most, as in \u001f.
        case .string(let text): 2 + 6 * text.utf8.count
        case .array(let elements): 2 + elements.reduce(0) { $0 + $1.serializedCountLimit + 1 }
        case .object(let members):
            2 + members.reduce(0) { $0 + 4 + 6 * $1.key.utf8.count + $1.value.serializedCountLimit }
        }
    }

    /// The value as a tree of jansson's.
    ///
    /// The caller owns the reference.
    private func newReference() -> UnsafeMutablePointer<json_t> {
        let reference: UnsafeMutablePointer<json_t>?
        switch self {
        case .null: unsafe reference = json_null()
        case .bool(let value): unsafe reference = value ? json_true() : json_false()
        case .integer(let value): unsafe reference = json_integer(value)
        case .real(let value):
            precondition(value.isFinite, "JSON has no number that is not finite (RFC 8259 §6).")
            unsafe reference = json_real(value)
        case .string(let value): unsafe reference = Self.string(value)
        case .array(let elements): unsafe reference = Self.array(elements)
        case .object(let members): unsafe reference = Self.object(members)
        }
        guard let reference = unsafe reference else { preconditionFailure("Out of memory.") }
        return unsafe reference
    }

    private static func string(_ value: String) -> UnsafeMutablePointer<json_t>? {
        let bytes = Array(value.utf8)
        // "json_stringn: Like json_string(), but with explicit length, so value may contain null characters or not be
        // null terminated." The bytes are copied.
        return unsafe cjansson_stringn(bytes, bytes.count)
    }

    private static func array(_ elements: [JSON]) -> UnsafeMutablePointer<json_t>? {
        let array = unsafe json_array()
        for element in elements {
            // "json_array_append_new: Like json_array_append() but steals the reference to value."
            let result = unsafe json_array_append_new(array, element.newReference())
            precondition(result == 0, "Out of memory.")
        }
        return unsafe array
    }

    private static func object(_ members: [String: JSON]) -> UnsafeMutablePointer<json_t>? {
        let object = unsafe json_object()
        for (name, value) in members {
            let bytes = Array(name.utf8)
            // "json_object_setn_new: Like json_object_set_new(), but give the fixed-length key with length key_len."
            // The name is copied; the reference to the value is stolen.
            let result = unsafe cjansson_object_setn_new(object, bytes, bytes.count, value.newReference())
            precondition(result == 0, "Out of memory.")
        }
        return unsafe object
    }
}
