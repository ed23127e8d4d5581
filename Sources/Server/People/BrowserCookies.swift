internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import SignIn

/// The cookies of browser flows.
///
/// On https they have the `__Host-` prefix: no other host and no path can have set them (RFC 6265bis §4.1.3.2).
struct BrowserCookies {
    /// So many flows at once in one browser; the oldest makes room for the next.
    private static let capacity = 8
    private static let prefix = "flow-"

    /// In the order of the field, in which browsers put the older first (RFC 6265 §5.4), by names without prefix.
    private let cookies: [(name: String, value: String)]
    private let isSecure: Bool

    init(_ request: Request, issuer: String) {
        isSecure = issuer.hasPrefix("https://")
        let hostPrefix = isSecure ? "__Host-" : ""
        // A browser that fetches ahead has not been sent here by anybody.
        let isPrefetch = ["Purpose", "Sec-Purpose"].contains { name in
            HTTPField.Name(name).flatMap { request.headers[$0] }?.contains("prefetch") ?? false
        }
        cookies =
            isPrefetch
            ? []
            : request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
                let halves = pair.split(separator: "=", maxSplits: 1)
                let name = halves[0].drop { $0 == " " }
                guard halves.count == 2, name.hasPrefix(hostPrefix) else { return nil }
                return (String(name.dropFirst(hostPrefix.count)), String(halves[1]))
            }
    }

    var flows: FlowCookies {
        Dictionary(
            cookies.filter { $0.name.hasPrefix(Self.prefix) }.map { ($0.name, Secret($0.value)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Which browser it is that enters device codes.
    var device: Secret? { cookies.first { $0.name == Corridor.browserCookie }.map { Secret($0.value) } }

    func keep(_ cookie: FlowCookie, in response: inout Response) {
        set(cookie.name, cookie.value.secretText, maximumAge: 600, in: &response)
        guard cookie.name.hasPrefix(Self.prefix) else { return }
        let others = cookies.map(\.name).filter { $0.hasPrefix(Self.prefix) && $0 != cookie.name }
        for oldest in others.prefix(max(0, others.count - (Self.capacity - 1))) { forget(oldest, in: &response) }
    }

    func forget(_ name: String, in response: inout Response) {
        set(name, "", maximumAge: 0, in: &response)
    }

    private func set(_ name: String, _ value: String, maximumAge: Int, in response: inout Response) {
        // Lax: the provider's redirect is a cross-site navigation and must bring it along, a cross-site POST must not.
        let attributes = "; Path=/; Max-Age=\(maximumAge); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
        response.headers.append(
            HTTPField(name: .setCookie, value: (isSecure ? "__Host-" : "") + name + "=" + value + attributes))
    }
}
