/// A request as it came over the wire.
struct LoopbackRequest: Sendable, Equatable {
    let line: String
    let header: [String]
    let body: [UInt8]

    var method: String { line.split(separator: " ").first.map(String.init) ?? "" }
    var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    subscript(field name: String) -> String? {
        header.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }
}
