/// The pairs of an `application/x-www-form-urlencoded` text in their order (WHATWG URL §5).
struct FormParameters: Sendable, Equatable {
    struct Pair: Sendable, Equatable {
        let name: String
        let value: String
    }

    private(set) var pairs: [Pair]

    init(_ pairs: [(String, String)]) {
        self.pairs = pairs.map { Pair(name: $0.0, value: $0.1) }
    }

    /// Returns `nil` if a `%` is not followed by two hexadecimal digits, or if the decoded bytes are not UTF-8.
    init?(_ text: String) {
        pairs = []
        for part in text.split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(sides[0], plusIsSpace: true),
                let value = PercentEncoding.decode(sides.count == 2 ? sides[1] : "", plusIsSpace: true)
            else { return nil }
            pairs.append(Pair(name: name, value: value))
        }
    }

    /// The first value with this name, which may be empty.
    subscript(name: String) -> String? {
        pairs.first { $0.name == name }?.value
    }

    /// The sorted names, each once.
    var names: [String] { Set(pairs.map(\.name)).sorted() }

    var hasRepeatedName: Bool { names.count != pairs.count }

    static func + (first: Self, second: Self) -> Self {
        var sum = first
        sum.pairs += second.pairs
        return sum
    }

    func without(_ names: Set<String>) -> Self {
        var rest = self
        rest.pairs.removeAll { names.contains($0.name) }
        return rest
    }

    var encoded: String {
        pairs.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }
}

extension Dictionary where Key == String {
    /// The value for a key with exactly these bytes.
    ///
    /// All keys must be ASCII.
    ///
    /// Swift compares strings by canonical equivalence, so a lookup of KELVIN SIGN would find "K".
    subscript(exactly key: String) -> Value? {
        key.utf8.allSatisfy { $0 < 0x80 } ? self[key] : nil
    }
}
