internal import CJansson

extension JSON {
    /// Reads one JSON text (RFC 8259) with an object or an array at the top and nothing behind it.
    ///
    /// Besides text that is not JSON it refuses a duplicate name in one object, `\u0000`, a byte-order mark, numbers
    /// that would have to be rounded, and text that is not UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The whole text.
    ///   - maximumBytes: The maximum size. A longer text is refused without reading it.
    ///   - maximumDepth: The maximum number of open brackets, 1 to 512.
    ///   - maximumValues: The maximum number of values and names.
    ///   - maximumStringBytes: The maximum length of one string, as it is written.
    /// - Returns: An object or an array.
    /// - Throws: The first error. Sizes and depth are checked first, since these checks cost the least.
    package static func parse(
        _ bytes: [UInt8], maximumBytes: Int = 64 * 1024, maximumDepth: Int = 16, maximumValues: Int = .max,
        maximumStringBytes: Int = .max
    ) throws(JSONError) -> JSON {
        precondition((1...512).contains(maximumDepth), "The depth must be from 1 to 512; the parser is recursive.")
        guard bytes.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
        try Outline(
            maximumDepth: maximumDepth, maximumValues: maximumValues, maximumStringBytes: maximumStringBytes
        ).check(bytes)
        // Jansson ignores a zero byte after a number or a literal, although RFC 8259 §2 does not allow it there.
        if let position = bytes.firstIndex(of: 0) {
            let lines = bytes[...position].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let column = lines.last.map { String(decoding: $0, as: UTF8.self).unicodeScalars.count } ?? 0
            throw .malformed(line: lines.count, column: column)
        }

        _ = hashIsSeeded
        var error = json_error_t()
        // "json_loadb: Decodes the JSON string buffer, whose length is buflen, and returns the array or object it
        // contains, or NULL on error, in which case error is filled with information about the error."
        guard let root = unsafe cjansson_loadb(bytes, bytes.count, Int(JSON_REJECT_DUPLICATES), &error) else {
            throw JSONError(error)
        }
        let tree = unsafe Tree(adopting: root)
        return try unsafe copy(of: tree.root)
    }

    /// Copies a tree with all its strings.
    ///
    /// The tree may be freed afterwards.
    private static func copy(of value: UnsafeMutablePointer<json_t>) throws(JSONError) -> JSON {
        switch unsafe value.pointee.type {
        case JSON_OBJECT: .object(try unsafe members(of: value))
        case JSON_ARRAY: .array(try unsafe elements(of: value))
        case JSON_STRING: .string(unsafe text(cjansson_string_bytes(value), json_string_length(value)))
        case JSON_INTEGER: .integer(unsafe json_integer_value(value))
        case JSON_REAL: .real(unsafe json_real_value(value))
        case JSON_TRUE: .bool(true)
        case JSON_FALSE: .bool(false)
        default: .null
        }
    }

    private static func elements(of array: UnsafeMutablePointer<json_t>) throws(JSONError) -> [JSON] {
        var elements: [JSON] = []
        let count = unsafe json_array_size(array)
        elements.reserveCapacity(count)
        for index in 0..<count {
            // "json_array_get: Return value: Borrowed reference."
            guard let element = unsafe json_array_get(array, index) else { break }
            elements.append(try unsafe copy(of: element))
        }
        return elements
    }

    private static func members(of object: UnsafeMutablePointer<json_t>) throws(JSONError) -> [String: JSON] {
        var members: [String: JSON] = [:]
        members.reserveCapacity(unsafe json_object_size(object))
        var iterator = unsafe json_object_iter(object)
        while let member = unsafe iterator {
            // "json_object_iter_value: Return value: Borrowed reference."
            guard let bytes = unsafe cjansson_name_bytes(member), let value = unsafe json_object_iter_value(member)
            else { break }
            // A name ends with NUL and contains none. Jansson 2.13 has no function for its length.
            let name = unsafe String(cString: bytes)
            // "JSON_REJECT_DUPLICATES: Key equivalence is checked byte-by-byte, without special Unicode comparison
            // algorithms." A Swift dictionary compares by canonical equivalence.
            let replaced = members.updateValue(try unsafe copy(of: value), forKey: name)
            guard replaced == nil else { throw .equivalentMembers }
            unsafe iterator = unsafe json_object_iter_next(object, member)
        }
        return members
    }

    /// Copies a string of jansson, which has accepted only UTF-8.
    private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
        unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}

extension JSONError {
    /// Translates an error of jansson without its text, which quotes the input.
    fileprivate init(_ error: json_error_t) {
        let (line, column) = (Int(error.line), Int(error.column))
        self =
            switch unsafe withUnsafePointer(to: error, { unsafe json_error_code($0) }) {
            case json_error_duplicate_key: .duplicateMember(line: line, column: column)
            case json_error_numeric_overflow: .numberOutOfRange(line: line, column: column)
            case json_error_null_character, json_error_null_byte_in_key: .nulCharacter(line: line, column: column)
            case json_error_invalid_utf8: .invalidUTF8(line: line, column: column)
            case json_error_premature_end_of_input: .incomplete(line: line, column: column)
            default: .malformed(line: line, column: column)
            }
    }
}

/// The limits for the parts of a JSON text, checked by reading the text once without building values.
///
/// Parsing costs much more time and memory than this check. For a text that is not JSON the counts are correct up to
/// the position where the parser would stop.
struct Outline {
    /// The maximum number of open brackets.
    let maximumDepth: Int
    /// The maximum number of values and names together.
    ///
    /// An empty object or array counts as two.
    let maximumValues: Int
    /// The maximum number of octets between the quotation marks of one string or name, with escapes as they are
    /// written.
    let maximumStringBytes: Int

    /// The maximum number of octets of one number or literal.
    ///
    /// The time of jansson for a number grows faster than its length.
    private static let maximumScalarBytes = 1024

    /// Checks a JSON text.
    ///
    /// - Throws: ``JSONError/tooDeep(maximumDepth:)``, ``JSONError/tooManyValues(maximum:)``,
    ///   ``JSONError/stringTooLong(maximumBytes:)`` or ``JSONError/scalarTooLong(maximumBytes:)`` for the first error.
    func check(_ bytes: [UInt8]) throws(JSONError) {
        var (depth, values, position, scalarCount) = (0, 1, 0, 0)
        while position < bytes.count {
            scalarCount += 1
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position = try end(ofStringAt: position, in: bytes)
                scalarCount = 0
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                values += 1
                scalarCount = 0
                guard depth <= maximumDepth else { throw .tooDeep(maximumDepth: maximumDepth) }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                scalarCount = 0
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                values += 1
                scalarCount = 0
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                scalarCount = 0
            default:
                guard scalarCount <= Self.maximumScalarBytes else {
                    throw .scalarTooLong(maximumBytes: Self.maximumScalarBytes)
                }
            }
            guard values <= maximumValues else { throw .tooManyValues(maximum: maximumValues) }
            position += 1
        }
    }

    /// The position of the quotation mark that ends the string, or of the end of the text.
    private func end(ofStringAt start: Int, in bytes: [UInt8]) throws(JSONError) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            guard position - start - 1 <= maximumStringBytes else {
                throw .stringTooLong(maximumBytes: maximumStringBytes)
            }
        }
        return position
    }
}

/// The sole owner of one reference to jansson's own tree.
@safe
struct Tree: ~Copyable {
    let root: UnsafeMutablePointer<json_t>

    /// Takes ownership of a new reference.
    init(adopting root: UnsafeMutablePointer<json_t>) {
        unsafe self.root = root
    }

    // "json_decref: Decrement the reference count of json. As soon as a call to json_decref() drops the reference
    // count to zero, the value is destroyed and it can no longer be used."
    deinit { unsafe json_decref(root) }
}

/// The seed of jansson's hash function, which is set once, before anything is parsed.
///
/// "json_object_seed: The seed is used to randomize the hash function so that an attacker cannot control its output. If
/// seed is 0, Jansson generates the seed itself by reading random data from the operating system's entropy sources. […]
/// If called at all, this function must be called before any calls to json_object(), either explicit or implicit."
let hashIsSeeded: Void = json_object_seed(0)
