/// What the parts of a JSON text may come to, whatever they say: found by reading the text once, without building anything.
///
/// A text costs jansson and its copy much more time and memory than this. A text that is not JSON is measured too: as far
/// as the parser would come, the measure is right.
struct Outline {
    /// Brackets that are open at once.
    let maximumDepth: Int
    /// Values and names together; an empty object or array counts as two.
    let maximumValues: Int
    /// Octets between the quotation marks of one string or name, escapes as they are written.
    let maximumStringBytes: Int

    /// Octets of one number or literal: jansson takes longer than in proportion to read a long number.
    private static let maximumScalarBytes = 1024

    /// - Throws: ``JSONError/tooDeep(maximumDepth:)``, ``JSONError/tooManyValues(maximum:)``,
    ///   ``JSONError/stringTooLong(maximumBytes:)`` or ``JSONError/scalarTooLong(maximumBytes:)`` for the first offence.
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
