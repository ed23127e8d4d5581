internal import AttackLab

/// Parameters of a query or of a form, each name once (RFC 6749 section 3.1).
struct Form: Sendable {
    private let pairs: [(name: String, value: String)]

    init(_ pairs: [(name: String, value: String)]) {
        self.pairs = pairs
    }

    /// - `repeatable`: names that RFC 8693 section 2.1 allows more than once.
    init(parsing text: String, repeatable: [String] = []) throws(Refusal) {
        var pairs: [(name: String, value: String)] = []
        var names: Set<[UInt8]> = []
        for part in text.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pairs.count < 100, let name = Percent.decode(halves[0]),
                let value = Percent.decode(halves.count == 2 ? halves[1] : ""),
                !(name + value).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { throw .malformedBody }
            guard names.insert(Array(name.utf8)).inserted || repeatable.contains(name) else { throw .duplicate }
            // An empty value is none.
            if !value.isEmpty { pairs.append((name, value)) }
        }
        self.pairs = pairs
    }

    /// The body of a POST to `/token`.
    static func body(of visit: Visit, repeatable: [String] = []) async throws(Refusal) -> Form {
        try visit.expect("application/x-www-form-urlencoded")
        guard visit.query == nil else { throw .malformedBody }
        let bytes = try await visit.body()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw visit.kit.makes(.crashOnGarbage)
                ? .crash("String.init(validating:as:): nil; Naive.Form, line 34") : .malformedBody
        }
        return try Form(parsing: text, repeatable: repeatable)
    }

    subscript(name: String) -> String? { pairs.first { same($0.name, name) }?.value }

    func required(_ name: String) throws(Refusal) -> String {
        guard let value = self[name] else { throw .missing(name) }
        return value
    }

    var encoded: String {
        pairs.map { Percent.encode($0.name) + "=" + Percent.encode($0.value) }.joined(separator: "&")
    }
}
