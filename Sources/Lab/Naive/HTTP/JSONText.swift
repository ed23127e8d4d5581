internal import AttackLab
internal import Foundation
internal import Jansson

/// JSON from outside, strictly; with `duplicate-members` the way that most libraries read it.
struct JSONText: Sendable {
    let kit: Kit

    func parse(_ bytes: [UInt8], maximumBytes: Int, maximumDepth: Int = 8) throws(JSONError) -> JSON {
        do {
            return try JSON.parse(bytes, maximumBytes: maximumBytes, maximumDepth: maximumDepth)
        } catch .duplicateMember(let line, let column) where kit.makes(.duplicateMembers) {
            // The last one stays when Foundation reads it, and is the only one when it writes it again.
            guard let value = try? JSONSerialization.jsonObject(with: Data(bytes)),
                let single = try? JSONSerialization.data(withJSONObject: value)
            else { throw .malformed(line: line, column: column) }
            return try JSON.parse(Array(single), maximumBytes: maximumBytes, maximumDepth: maximumDepth)
        }
    }

    /// The body of a request to `/v1/*`: one object.
    func object(_ visit: Visit) async throws(Refusal) -> JSON {
        try visit.expect("application/json")
        // RFC 9700 section 4.3.2: a query is logged on the way.
        guard visit.query == nil else { throw .malformedBody }
        let bytes = try await visit.body()
        do {
            let value = try parse(bytes, maximumBytes: Int.max)
            guard value.object != nil else { throw JSONError.malformed(line: 1, column: 1) }
            return value
        } catch {
            if case .duplicateMember = error as? JSONError { throw .duplicate }
            if kit.makes(.crashOnGarbage) {
                throw .crash("JSONText.parse(_:): \(error) in \(bytes.count) bytes; Naive.JSONText, line 27")
            }
            throw .malformedBody.with(input: String(decoding: bytes.prefix(512), as: UTF8.self))
        }
    }
}

extension Refusal {
    /// What a framework answers for an error that nobody caught.
    static func crash(_ trace: String) -> Refusal {
        Refusal(500, "server_error", "internal", "Fatal error: uncaught \(trace)")
    }
}
