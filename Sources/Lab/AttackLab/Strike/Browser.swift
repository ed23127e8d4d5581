/// A browser: it keeps the cookies that the server sets.
final class Browser: Sendable {
    private let jar = Jar()

    /// The cookies as they are sent back.
    func cookie() async -> String? { await jar.header }

    func take(_ answer: Answer) async { await jar.take(answer.allFields("set-cookie")) }

    private actor Jar {
        private var cookies: [(name: String, value: String)] = []

        var header: String? {
            cookies.isEmpty ? nil : cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        }

        func take(_ fields: [String]) {
            for field in fields {
                let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard pair.count >= 1 else { continue }
                let name = String(pair[0])
                cookies.removeAll { $0.name == name }
                let value = pair.count == 2 ? String(pair[1]) : ""
                // RFC 6265 §4.1.2.2: an age of zero takes the cookie away.
                if !field.lowercased().contains("max-age=0"), !value.isEmpty { cookies.append((name, value)) }
            }
        }
    }
}
