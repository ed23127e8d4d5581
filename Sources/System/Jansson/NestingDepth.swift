/// How deeply the brackets of a JSON text are nested, counted without building anything.
///
/// A text that is not JSON gets a number too: as far as the parser would come, it is right.
enum NestingDepth {
    static func exceeds(_ maximumDepth: Int, in bytes: [UInt8]) -> Bool {
        // So few brackets cannot be nested so deeply, wherever they stand: the usual text is not read any closer.
        let openingCount = bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        return openingCount > maximumDepth && exceedsOutsideStrings(maximumDepth, in: bytes)
    }

    private static func exceedsOutsideStrings(_ maximumDepth: Int, in bytes: [UInt8]) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
                isInString = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                depth += 1
                if depth > maximumDepth { return true }
            } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                depth -= 1
            }
        }
        return false
    }
}
