internal import HTTPTypes
internal import Hummingbird
internal import OpenSSL

/// A cookie for each flow of a browser, named after its `state`, so that flows side by side do not meet.
struct FlowCookies {
    private static let prefix = "flow-"
    private static let capacity = 8
    /// The older first.
    private let pairs: [(name: String, value: String)]

    init(_ request: Request) {
        pairs = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(halves[0].drop { $0 == " " })
            guard halves.count == 2, name.hasPrefix(Self.prefix) else { return nil }
            return (name, String(halves[1]))
        }
    }

    var values: [String] { pairs.map(\.value) }

    func value(of state: String) -> String? { pairs.first { $0.name == Self.name(of: state) }?.value }

    func keep(_ value: String, of state: String, in response: inout Response) {
        set(Self.name(of: state), value, maximumAge: 600, in: &response)
        for old in pairs.dropLast(Self.capacity - 1) { set(old.name, "", maximumAge: 0, in: &response) }
    }

    func forget(_ state: String, in response: inout Response) {
        set(Self.name(of: state), "", maximumAge: 0, in: &response)
    }

    private static func name(of state: String) -> String {
        prefix + Base64Text.encode(Array(SHA256.hash(Array(state.utf8)).prefix(16)))
    }

    private func set(_ name: String, _ value: String, maximumAge: Int, in response: inout Response) {
        let attributes = "; Path=/; Max-Age=\(maximumAge); HttpOnly; SameSite=Lax"
        response.headers.append(HTTPField(name: .setCookie, value: "\(name)=\(value)\(attributes)"))
    }
}
