import JOSE
import Standards
import Transport

/// A document of words in brackets, such as `[a b]`, with its peer and its clock.
struct Fixture {
    struct NoWords: Error {}

    let peer = Peer()
    let time = ManualTime()
    let failures = FailureLog()
    let document: CachedDocument<[String]>

    init(_ change: (inout DocumentPolicy) -> Void = { _ in }) {
        var policy = DocumentPolicy()
        change(&policy)
        document = CachedDocument(
            at: "https://peer.example/words", transport: peer.transport, time: time.source, policy: policy,
            onFailure: { [failures] in failures.append($0) }, parse: Self.words)
    }

    @Sendable
    static func words(_ bytes: [UInt8]) throws -> [String] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("["), text.hasSuffix("]") else { throw NoWords() }
        return text.dropFirst().dropLast().split(separator: " ").map(String.init)
    }
}
