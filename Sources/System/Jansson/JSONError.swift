/// Why bytes are not a JSON text that is accepted here.
///
/// Lines count from 1. Columns count characters and stand where reading stopped, so just behind the offence. The text
/// itself is never part of an error, since it may hold a token.
package enum JSONError: Error, Equatable, Sendable {
    /// Nothing was read.
    case tooLarge(maximumBytes: Int)
    /// Nothing was built: brackets are counted before the parser runs.
    case tooDeep(maximumDepth: Int)
    /// Nothing was built: values are counted before the parser runs.
    case tooManyValues(maximum: Int)
    /// Nothing was built: strings are measured before the parser runs.
    case stringTooLong(maximumBytes: Int)
    /// Nothing was built: numbers and literals are measured before the parser runs.
    case scalarTooLong(maximumBytes: Int)
    /// Two members of one object have the same name, however it is spelt (RFC 8259 §4; RFC 7519 §4).
    case duplicateMember(line: Int, column: Int)
    /// Two members of one object have names that differ in bytes but are canonically equivalent in Unicode.
    case equivalentMembers
    /// An integer beyond 64 bits, or a real beyond a double: it is not rounded.
    case numberOutOfRange(line: Int, column: Int)
    /// `\u0000` in a string or a name.
    case nulCharacter(line: Int, column: Int)
    /// Overlong forms, encoded surrogates and cut-off sequences included.
    case invalidUTF8(line: Int, column: Int)
    /// Not RFC 8259, or neither an object nor an array at the top.
    case malformed(line: Int, column: Int)
}
