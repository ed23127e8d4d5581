/// An input that is split into lines, for targets that need more than one text.
struct Input {
    let parts: [ArraySlice<UInt8>]

    /// Splits at line feeds.
    ///
    /// The last part contains all further line feeds.
    init(_ bytes: [UInt8], parts count: Int) {
        parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false)
    }

    /// Returns a part; empty if there is no such part.
    subscript(position: Int) -> [UInt8] { position < parts.count ? Array(parts[position]) : [] }

    /// Returns a part as text; `nil` if it is not UTF-8.
    func text(_ position: Int) -> String? { String(validating: self[position], as: UTF8.self) }
}

/// Returns whether two texts have the same octets; `==` compares by canonical equivalence.
func areSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

func octet(_ scalar: Unicode.Scalar) -> UInt8 { UInt8(ascii: scalar) }
