internal import Hummingbird
internal import Logging
internal import Standards
internal import Synchronization

/// Finds the address that a request counts against, and reports proxies that are not configured as they behave.
///
/// Each report is written once in the lifetime of the process, because anyone can send the fields that it reads.
struct ForwardingNotices: Sendable {
    private let addresses: ClientAddress
    private let ignoredField = FirstTime()
    private let unreadableHop = FirstTime()
    private let otherField = FirstTime()
    private let otherAddress = FirstTime()
    private let onlyProxies = FirstTime()
    private let unlistedProxy = FirstTime()
    private let otherHost = FirstTime()

    init(_ addresses: ClientAddress) { self.addresses = addresses }

    /// Returns the last address on the path of a request that is not a trusted proxy.
    ///
    /// - Parameter peer: The address of the peer of its connection.
    /// - Returns: The octets of the address; `nil` if the peer is unknown.
    func address(of request: Request, peer: String?, _ logger: Logger) -> [UInt8]? {
        let forwardedFor = request.values("x-forwarded-for")
        let isTrusted = addresses.isTrusted(peer)
        let isRead = !forwardedFor.isEmpty
        if !isTrusted, let field = isRead ? "X-Forwarded-For" : Self.unreadField(of: request), ignoredField.isFirst() {
            logger.warning(
                "\(field) is ignored: the peer is not a trusted proxy (reported once)",
                metadata: [
                    "address": "\(peer ?? "unknown")",
                    "advice": """
                    if this address is your proxy, \(isRead ? "" : "let it append the address of its client to X-Forwarded-For, and ")\
                    add it to server.trusted_proxies as a block (with /32, or /128 for IPv6): until then all clients of the proxy \
                    share the rate limits of one address
                    """,
                ])
        }
        if isTrusted, !isRead, let field = Self.unreadField(of: request), otherField.isFirst() {
            logger.warning(
                "a trusted proxy sends no X-Forwarded-For, and another field that is not read (reported once)",
                metadata: [
                    "address": "\(peer ?? "unknown")", "field": "\(field)",
                    "advice": """
                    let the proxy append the address of its client to X-Forwarded-For: until then all clients of the proxy \
                    share the rate limits of one address
                    """,
                ])
        }
        let origin = addresses.origin(peer: peer, forwardedFor: forwardedFor)
        // Only what a trusted proxy sends is compared, so that a request without one costs no search.
        let networks = isTrusted && isRead ? networkFields(of: request, beside: origin.address) : .none
        if isTrusted, isRead, case .others(let field) = networks, otherAddress.isFirst() {
            logger.warning(
                "X-Forwarded-For and the field of a delivery network name different clients (reported once)",
                metadata: [
                    "address": "\(origin.address.map(IPAddressText.write) ?? "unknown")", "field": "\(field)",
                    "advice": """
                    if this address is that of a delivery network in front of your proxy, add its networks to \
                    server.trusted_proxies: until then all of its clients share the rate limits of one address
                    """,
                ])
        }
        if let address = origin.address, let claimed = origin.claimed, !ClientAddress.isPrivate(claimed),
            networks != .same, let proxy = Self.sign(of: address, request, networks), unlistedProxy.isFirst()
        {
            logger.warning(
                "X-Forwarded-For of a trusted proxy ends with the address of another proxy (reported once)",
                metadata: [
                    "address": "\(IPAddressText.write(address))", "proxy": "\(proxy)",
                    "advice": """
                    if this address is that of your second proxy, load balancer or delivery network, add it as a block (with /32, or \
                    /128 for IPv6), or the networks that it publishes, to server.trusted_proxies: until then all of its clients share the \
                    rate limits of one address
                    """,
                ])
        }
        if let first = origin.firstProxy, onlyProxies.isFirst() {
            logger.warning(
                "X-Forwarded-For of a trusted proxy names only trusted proxies (reported once)",
                metadata: [
                    "address": "\(peer ?? "unknown")", "proxy": "\(IPAddressText.write(first))",
                    "advice": """
                    if this request came from outside, a proxy or load balancer has replaced the address of its client: let each \
                    append to the X-Forwarded-For that it receives (use-forwarded-headers of ingress-nginx), and keep the address of \
                    the connection (externalTrafficPolicy: Local), or let server.trusted_proxies name proxies only. Until then all \
                    clients share the rate limits of one address
                    """,
                ])
        }
        if let hop = origin.unreadable, unreadableHop.isFirst() {
            logger.warning(
                "X-Forwarded-For of a trusted proxy has an entry without an address (reported once)",
                metadata: [
                    "address": "\(peer ?? "unknown")", "entry": "\(hop.rawValue)",
                    "advice": """
                    let the proxy append the IP address of its client, with or without a port: the clients of such requests \
                    share the rate limits of the proxy
                    """,
                ])
        }
        return origin.address
    }

    /// Reports that a browser asks for a page at another host than that of `public_url`.
    ///
    /// The cookies of a flow belong to one host (RFC 6265 §4.1.2.3), and the provider sends the browser to `public_url`. A proxy
    /// that writes its own name into `Host` sends the name that the browser knows in `X-Forwarded-Host`, or an internal name.
    func compareHost(of request: Request, with publicURL: String, _ logger: Logger) {
        let own = Self.host(publicURL.split(separator: "/", maxSplits: 2).dropFirst().first ?? "")
        let named = request.values("x-forwarded-host").first ?? request.head.authority ?? ""
        let host = Self.host(named.prefix { $0 != "," })
        guard host != own, Self.isPublic(host), otherHost.isFirst() else { return }
        logger.warning(
            "a browser asks for a page at another host than that of server.public_url (reported once)",
            metadata: [
                "host": "\(host.shown)", "public_url": "\(publicURL)",
                "advice": """
                if people reach this server at that host, let it redirect to public_url, or write it as public_url: the cookies of \
                a sign-in belong to one host, and a sign-in that begins at another one cannot end
                """,
            ])
    }

    /// The name of a host in lower case, without its port.
    private static func host(_ authority: some StringProtocol) -> String {
        String(authority.lowercased().prefix { $0 != ":" })
    }

    /// Whether a host may be the name by which a browser knows a server, and not an address or the internal name of a proxy.
    private static func isPublic(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && host.utf8.count <= 253
            && !["internal", "local", "localhost", "svc", "lan"].contains(labels[labels.count - 1])
            && labels[labels.count - 1].contains { $0.isLetter }
            && host.utf8.allSatisfy { PercentEncoding.isUnreserved($0) }
    }

    /// What shows that an address that counts as a client is a proxy; `nil` if nothing does.
    ///
    /// A private address with a public one before it is that of a proxy inside the network. Load balancers and delivery networks
    /// append their name to `Via`, or send a field of their own, and what stands behind them appends their address to
    /// `X-Forwarded-For`. If they also send the address of the client, that field is reported.
    private static func sign(of address: [UInt8], _ request: Request, _ fields: NetworkFields) -> String? {
        if ClientAddress.isPrivate(address) { return "in a private network" }
        let via = request.values("via").map { $0.lowercased() }
        if let name = viaNames.first(where: { name in via.contains { $0.hasSuffix(" \(name.lowercased())") } }) {
            return "Via: 1.1 \(name)"
        }
        return fields == .none ? networkSigns.first { !request.values($0).isEmpty } : nil
    }

    /// What the fields of delivery networks say about the address that counts as the client.
    private enum NetworkFields: Equatable {
        case none
        /// One of them names the same address.
        case same
        /// All of them name others; the first one.
        case others(String)
    }

    /// Compares the fields of delivery networks, of which some networks send two: for what they saw themselves, and for what a
    /// proxy before them claims.
    private func networkFields(of request: Request, beside address: [UInt8]?) -> NetworkFields {
        let fields = Self.networkFields.map { name in
            // CloudFront appends the port also to an IPv6 address without brackets.
            (name, request.values(name).map { name == Self.viewerAddress ? $0.withoutLastColon : $0 })
        }.filter { !$0.1.isEmpty }
        guard let first = fields.first else { return .none }
        let areOthers = fields.allSatisfy { $0.1.contains { addresses.differs($0, from: address) } }
        return areOthers ? .others(first.0) : .same
    }

    /// The names at the end of `Via` (RFC 9110 §7.6.3) of Google's load balancers, Azure Front Door, CloudFront and Akamai.
    private static let viaNames = ["google", "Azure", "(CloudFront)", "(AkamaiGHost)"]

    /// The fields without an address that delivery networks send with each request.
    private static let networkSigns = [
        "x-amz-cf-id",  // CloudFront
        "x-azure-ref",
        "cf-ray",  // Cloudflare
        "fastly-ff",
        "akamai-origin-hop",
        "cdn-loop",  // RFC 8586
    ]

    private static let viewerAddress = "cloudfront-viewer-address"

    /// The fields in which delivery networks and platforms send the address of the client, beside `X-Forwarded-For`.
    private static let networkFields = [
        "cf-connecting-ip", "cf-connecting-ipv6",  // Cloudflare
        "true-client-ip",  // Akamai, Cloudflare
        "fly-client-ip",
        "x-azure-clientip", "x-azure-socketip",  // Azure Front Door
        "fastly-client-ip",
        viewerAddress,
        "x-appengine-user-ip",
        "x-vercel-forwarded-for",
        "x-nf-client-connection-ip",  // Netlify
        "do-connecting-ip",  // DigitalOcean
        "incap-client-ip",  // Imperva
        "x-sucuri-clientip",
        "ali-cdn-real-ip",
    ]

    /// The fields in which proxies send the address of the client, and which anyone could send through another proxy.
    private static let unreadFields = Set(["x-real-ip", "forwarded", "x-client-ip"] + networkFields)

    /// Returns the name of the first field of a request that names a client and is not read.
    private static func unreadField(of request: Request) -> String? {
        request.headers.first { unreadFields.contains($0.name.canonicalName) }?.name.canonicalName
    }
}

extension Request {
    /// Returns the values of a field, in the order of the request.
    ///
    /// - Parameter name: The name in lower case.
    /// - Returns: A value for each line.
    func values(_ name: String) -> [String] {
        headers.filter { $0.name.canonicalName == name }.map(\.value)
    }
}

extension String {
    fileprivate var withoutLastColon: String { String(self[..<(lastIndex(of: ":") ?? endIndex)]) }
}

/// An event that is reported once in the lifetime of the process, so that a client cannot fill the log with it.
final class FirstTime: Sendable {
    private let hasHappened = Atomic(false)

    /// Returns `true` on the first call only.
    func isFirst() -> Bool {
        !hasHappened.exchange(true, ordering: .relaxed)
    }
}
