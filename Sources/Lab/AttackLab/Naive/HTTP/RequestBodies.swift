internal import Foundation
internal import Jansson

/// The parameters of a query or of a form, each name at most once (RFC 6749 section 3.1).
struct Form: Sendable {
    private let pairs: [(name: String, value: String)]

    init(_ pairs: [(name: String, value: String)]) {
        self.pairs = pairs
    }

    /// Parses a form.
    ///
    /// RFC 8693 section 2.1 allows the names in `repeatable` to occur several times.
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
            // RFC 6749 section 3.1: a parameter without a value is treated as absent.
            if !value.isEmpty { pairs.append((name, value)) }
        }
        self.pairs = pairs
    }

    /// The body of a POST to `/token`.
    static func body(of incoming: IncomingRequest, repeatable: [String] = []) async throws(Refusal) -> Form {
        try incoming.expect("application/x-www-form-urlencoded")
        guard incoming.query == nil else { throw .malformedBody }
        let bytes = try await incoming.body()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw incoming.environment.makes(.crashOnGarbage)
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

/// Parses JSON strictly, or with the mistake `duplicate-members` as most libraries do.
struct JSONText: Sendable {
    let environment: BackendEnvironment

    func parse(_ bytes: [UInt8], maximumBytes: Int) throws(JSONError) -> JSON {
        do {
            return try JSON.parse(bytes, maximumBytes: maximumBytes, maximumDepth: 8)
        } catch .duplicateMember(let line, let column) where environment.makes(.duplicateMembers) {
            // Foundation keeps the last duplicate, so that the text it writes has no duplicates.
            guard let value = try? JSONSerialization.jsonObject(with: Data(bytes)),
                let single = try? JSONSerialization.data(withJSONObject: value)
            else { throw .malformed(line: line, column: column) }
            return try JSON.parse(Array(single), maximumBytes: maximumBytes, maximumDepth: 8)
        }
    }

    /// Parses the body of a request to `/v1/*`, which is one object.
    func object(_ incoming: IncomingRequest) async throws(Refusal) -> JSON {
        try incoming.expect("application/json")
        // RFC 9700 section 4.3.2: proxies log queries.
        guard incoming.query == nil else { throw .malformedBody }
        let bytes = try await incoming.body()
        do {
            let value = try parse(bytes, maximumBytes: Int.max)
            guard value.object != nil else { throw JSONError.malformed(line: 1, column: 1) }
            return value
        } catch {
            if case .duplicateMember = error as? JSONError { throw .duplicate }
            if environment.makes(.crashOnGarbage) {
                throw .crash("JSONText.parse(_:): \(error) in \(bytes.count) bytes; Naive.JSONText, line 27")
            }
            throw .malformedBody.with(input: String(decoding: bytes.prefix(512), as: UTF8.self))
        }
    }
}

extension Refusal {
    /// The response of a framework to an error that the application did not catch.
    static func crash(_ trace: String) -> Refusal {
        Refusal(500, "server_error", "internal", "Fatal error: uncaught \(trace)")
    }
}

/// The members of one JSON object.
///
/// Unknown members are refused.
struct Fields {
    private let members: [String: JSON]

    init(_ object: JSON, known: [String]) throws(Refusal) {
        members = object.object ?? [:]
        for name in members.keys where !known.contains(where: { same($0, name) }) {
            throw .unknownField.with(input: name)
        }
    }

    func text(_ name: String, upTo maximumBytes: Int = 2048) throws(Refusal) -> String {
        guard let text = try optionalText(name, upTo: maximumBytes) else { throw .missing(name) }
        return text
    }

    func optionalText(_ name: String, upTo maximumBytes: Int = 2048) throws(Refusal) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string, (1...maximumBytes).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw .malformedBody.with(input: value.string ?? name) }
        return text
    }

    func object(_ name: String) throws(Refusal) -> JSON {
        guard let value = members[name] else { throw .missing(name) }
        guard value.object != nil else { throw .malformedBody }
        return value
    }
}
