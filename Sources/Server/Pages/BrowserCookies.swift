internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import Standards

/// The cookies of browser flows.
///
/// On https they have the `__Host-` prefix: no other host and no path can have set them (RFC 6265bis §4.1.3.2).
struct BrowserCookies {
    /// The maximum number of flows in one browser, and of octets of their cookies in the field `Cookie`, in which a name
    /// and separators belong to each value.
    ///
    /// nginx refuses a field of 8184 octets or more. The rest is for the other cookies of the origin. The oldest flows are
    /// forgotten first.
    fileprivate static let capacity = (flows: 8, octets: 6999)
    private static let prefix = "flow-"
    private static let languageName = "language"

    /// The cookies by their names without prefix, in the order of the field.
    ///
    /// Browsers send older cookies first (RFC 6265 §5.4).
    private let cookies: [(name: String, value: String)]
    private let isSecure: Bool
    /// Whether the browser sent a cookie that Firebase Hosting removes: it passes only the one named `__session`.
    private let hasCookies: Bool
    /// Whether the browser shows the response in a frame (Fetch Metadata).
    private let isInFrame: Bool
    private var hostPrefix: String { isSecure ? "__Host-" : "" }

    init(_ request: Request, issuer: String) {
        let isSecure = issuer.hasPrefix("https://")
        self.isSecure = isSecure
        let destination = HTTPField.Name("Sec-Fetch-Dest").flatMap { request.headers[$0] }
        isInFrame =
            destination.map { ["embed", "fencedframe", "frame", "iframe", "object"].contains($0) } ?? false
        let hostPrefix = isSecure ? "__Host-" : ""
        let pairs = request.headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        hasCookies = pairs.contains { !Substring($0).drop { $0 == " " }.hasPrefix("__session=") }
        cookies =
            pairs.compactMap { pair in
                // Compared by octets: in Swift a separator and a combining mark after it are one different character.
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

    /// The cookie that identifies a browser on the pages of `/device`.
    var device: Secret? { cookies.first { $0.name == DeviceSignIn.browserCookie }.map { Secret($0.value) } }

    /// Explains to the operator that a flow is unknown because the browser sent no cookie of it.
    ///
    /// - Returns: The same refusal with the explanation; `nil` for another refusal, for one that has a finding, and if the
    ///   browser has the cookie of `/device`.
    func missing(for refusal: Refusal) -> Refusal? {
        guard device == nil, refusal.finding == nil,
            [Refusal.unknownBrowserFlow, .unknownForm].contains(where: { $0.description == refusal.description })
        else { return nil }
        let isOfDevice = refusal.description == Refusal.unknownForm.description
        guard flows.isEmpty || isOfDevice else {
            return Refusal(
                refusal.reason, refusal.description,
                finding:
                    "the browser sent cookies of sign-ins (\(flows.count)), and none of this one that can still be used",
                cause: MissingCookie.amongOthers)
        }
        let finding =
            isOfDevice
            ? "the browser sent no cookie of /device"
            : hasCookies ? "the browser sent cookies, and none of a sign-in" : "the browser sent no cookie"
        return Refusal(
            refusal.reason, refusal.description,
            finding: isInFrame ? "\(finding), and the page is in a frame (Sec-Fetch-Dest)" : finding,
            cause: isInFrame ? MissingCookie.inFrame : MissingCookie.ofFlow)
    }

    /// The language that the person has chosen on a page; the browser can send any text.
    var language: String? { cookies.first { $0.name == Self.languageName }?.value }

    /// Keeps the choice of a language for a day.
    ///
    /// The next pages of a flow then have the same language, those after the provider included.
    func keep(_ language: PageLanguage, in response: inout Response) {
        set(Self.languageName, language.rawValue, maximumAge: 86400, in: &response)
    }

    /// Sets a cookie, and forgets the oldest flows that exceed the capacity.
    ///
    /// - Parameter ended: The name of a flow that the response forgets as well, so that it does not count.
    func keep(_ cookie: FlowCookie, besides ended: String? = nil, in response: inout Response) {
        set(cookie.name, cookie.value.secretText, maximumAge: 600, in: &response)
        guard cookie.name.hasPrefix(Self.prefix) else { return }
        var room = (
            flows: Self.capacity.flows - 1,
            octets: Self.capacity.octets - octets(cookie.name, cookie.value.secretText)
        )
        for other in cookies.reversed()
        where other.name.hasPrefix(Self.prefix) && ![cookie.name, ended].contains(other.name) {
            room = (room.flows - 1, room.octets - octets(other.name, other.value))
            if room.flows < 0 || room.octets < 0 { forget(other.name, in: &response) }
        }
    }

    /// The octets of a cookie in the field `Cookie`: `name=value`, and the `; ` before the next cookie.
    private func octets(_ name: String, _ value: String) -> Int {
        hostPrefix.utf8.count + name.utf8.count + 1 + value.utf8.count + 2
    }

    /// Deletes the cookies of all flows, for a browser whose request header has become too large.
    func forgetFlows(in response: inout Response) {
        for cookie in cookies where cookie.name.hasPrefix(Self.prefix) { forget(cookie.name, in: &response) }
    }

    func forget(_ name: String, in response: inout Response) {
        set(name, "", maximumAge: 0, in: &response)
    }

    private func set(_ name: String, _ value: String, maximumAge: Int, in response: inout Response) {
        // Lax: the browser must send the cookie with the redirect of the provider, and not with a cross-site POST.
        let attributes = "; Path=/; Max-Age=\(maximumAge); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
        response.headers.append(
            HTTPField(name: .setCookie, value: hostPrefix + name + "=" + value + attributes))
    }
}

/// A browser without the cookie of its flow.
private enum MissingCookie: AdvisingCause {
    case ofFlow
    /// The page is in a frame.
    case inFrame
    /// The browser sent cookies of other flows, or one of this flow that no key opens.
    case amongOthers

    var advice: String? {
        switch self {
        case .ofFlow:
            "If it repeats with a new sign-in: a proxy in front of this server removes or changes cookies, as Firebase Hosting does with "
                + "all but __session, or the sign-in began at another host than that of public_url, or by http in place of https. Let "
                + "the proxy pass Cookie and Set-Cookie unchanged, and redirect http to https; if it cannot, let public_url name this "
                + "server itself, and let people reach it only there. Otherwise the sign-in has ended, began in another browser, or the "
                + "browser blocks or deletes cookies, as the window within another application may."
        case .inFrame:
            "Browsers keep and send no cookie of a sign-in in a frame that is on a page of another site, or to which another site leads, "
                + "such as the provider. Open the address of /authorize in a window or tab of its own, and not in a frame. Otherwise the "
                + "sign-in has ended, or began in another browser."
        case .amongOthers:
            UnopenedValue.ofClient.advice.map {
                "If each sign-in at one provider ends so, compare state (oauth_token with OAuth 1.0a) in the address to which this server "
                    + "sends the browser with that in the address of the callback: the provider has to return it without any change. "
                    + $0
                    + " If the browser sent \(BrowserCookies.capacity.flows) of these cookies, newer sign-ins may have replaced this one. "
                    + "If another server of this kind is at the same host, give each a host name of its own: a port does not "
                    + "separate cookies."
            }
        }
    }
}

/// The check that a form was sent by a page of this server.
enum SameOrigin {
    /// Checks `Sec-Fetch-Site`, which browsers send since 2023 (Fetch Metadata).
    ///
    /// For an older browser, only the cookie protects the form: it is `SameSite=Lax`.
    ///
    /// - Throws: ``Refusal/originNotAllowed(_:)``.
    static func check(_ request: Request) throws(Refusal) {
        guard let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name] else { return }
        guard site == "same-origin" else {
            let known =
                ["cross-site", "same-site", "none"].first { $0 == site } ?? "another word than those of browsers"
            throw .originNotAllowed("Sec-Fetch-Site of the form is \(known)")
        }
    }
}
