/// An input taken apart, for targets that need more than one text.
struct Input {
    let parts: [ArraySlice<UInt8>]

    /// Line feeds separate; the last part keeps those that are too many.
    init(_ bytes: [UInt8], parts count: Int) {
        parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false)
    }

    /// Empty where there is no such part.
    subscript(position: Int) -> [UInt8] { position < parts.count ? Array(parts[position]) : [] }

    /// Nil where the part is not UTF-8.
    func text(_ position: Int) -> String? { String(validating: self[position], as: UTF8.self) }
}

/// Whether two texts are the same octets; Swift's equality goes by canonical equivalence.
func areSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

func octet(_ scalar: Unicode.Scalar) -> UInt8 { UInt8(ascii: scalar) }
