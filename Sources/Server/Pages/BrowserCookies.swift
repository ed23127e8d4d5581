internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// The cookies of browser flows.
///
/// On https they have the `__Host-` prefix: no other host and no path can have set them (RFC 6265bis §4.1.3.2).
struct BrowserCookies {
    /// So many flows at once in one browser, and so many octets of them, which are half of what a request may have for
    /// all of its header; the oldest make room for the next.
    private static let capacity = (flows: 8, octets: 8192)
    private static let prefix = "flow-"

    /// In the order of the field, in which browsers put the older first (RFC 6265 §5.4), by names without prefix.
    private let cookies: [(name: String, value: String)]
    private let isSecure: Bool

    init(_ request: Request, issuer: String) {
        isSecure = issuer.hasPrefix("https://")
        let hostPrefix = isSecure ? "__Host-" : ""
        cookies = request.headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
            .compactMap { pair in
                // By octets: for Swift a separator with a combining mark behind it is another character.
                let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                    .map { Substring($0) }
                guard halves.count == 2 else { return nil }
                let name = halves[0].drop { $0 == " " }
                guard name.hasPrefix(hostPrefix) else { return nil }
                return (String(name.dropFirst(hostPrefix.count)), String(halves[1]))
            }
    }

    var flows: FlowCookies {
        Dictionary(
            cookies.filter { $0.name.hasPrefix(Self.prefix) }.map { ($0.name, Secret($0.value)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Which browser it is that enters device codes.
    var device: Secret? { cookies.first { $0.name == DeviceSignIn.browserCookie }.map { Secret($0.value) } }

    /// - `ended`: the name of a flow that is forgotten already, and takes no room.
    func keep(_ cookie: FlowCookie, besides ended: String? = nil, in response: inout Response) {
        set(cookie.name, cookie.value.secretText, maximumAge: 600, in: &response)
        guard cookie.name.hasPrefix(Self.prefix) else { return }
        var room = (flows: Self.capacity.flows - 1, octets: Self.capacity.octets - cookie.value.secretText.utf8.count)
        for other in cookies.reversed()
        where other.name.hasPrefix(Self.prefix) && ![cookie.name, ended].contains(other.name) {
            room = (room.flows - 1, room.octets - other.value.utf8.count)
            if room.flows < 0 || room.octets < 0 { forget(other.name, in: &response) }
        }
    }

    /// For a browser whose header has grown too large to be read.
    func forgetFlows(in response: inout Response) {
        for cookie in cookies where cookie.name.hasPrefix(Self.prefix) { forget(cookie.name, in: &response) }
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
