package import JOSE
package import Transport

/// A source of the e-mail address of the service account for which Google signs.
package struct ServiceAccountEmail: Sendable {
    /// Finds the address; `nil` if it cannot be fetched now.
    package let find: @Sendable () async -> String?

    /// Returns a source of an address from the configuration; `nil` if the text is not an address.
    package static func configured(_ text: String) -> Self? {
        guard isAddress(text) else { return nil }
        return Self { text }
    }

    /// Returns a source that fetches the address of the service account that the machine runs as.
    ///
    /// After the first success the address is kept and not fetched again.
    ///
    /// - Parameter origin: The metadata server, without a path.
    package static func discovered(
        origin: String, transport: HTTPTransport, time: TimeSource, retries: RetryPolicy
    ) -> Self {
        let request = MetadataServer.request("email", origin: origin)
        let discovery = Discovery { () async -> String? in
            guard let response = try? await retries.send(request, over: transport, time: time),
                response.status == 200,
                let line = String(validating: response.body, as: UTF8.self)
            else { return nil }
            let text = line.hasSuffix("\n") ? String(line.dropLast()) : line
            return isAddress(text) ? text : nil
        }
        return Self { await discovery.value() }
    }

    /// Returns the project that the address of a service account names; `nil` if it names none, as that of Compute Engine.
    ///
    /// The id of a project of an organization's domain is `example.com:name`, and its addresses end in
    /// `name.example.com.iam.gserviceaccount.com`.
    package static func projectID(in address: String) -> String? {
        let halves = address.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let suffix = ".iam.gserviceaccount.com"
        let isOfAppEngine = halves[1] == "appspot.gserviceaccount.com"
        guard isOfAppEngine || halves[1].hasSuffix(suffix) else { return nil }
        let parts = (isOfAppEngine ? halves[0] : halves[1].dropLast(suffix.count)).split(separator: ".", maxSplits: 1)
        return parts.count == 2 ? "\(parts[1]):\(parts[0])" : parts.first.map(String.init)
    }

    /// Whether a text is an e-mail address that can be a segment of a URL's path without escapes.
    ///
    /// The metadata server of a cluster may send a name that is not an address.
    static func isAddress(_ text: String) -> Bool {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        return halves.count == 2
            && halves.allSatisfy { half in
                !half.isEmpty && half != "." && half != ".."
                    && half.utf8.allSatisfy { octet in
                        (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet)
                            || (0x61...0x7A).contains(octet) || "-._".utf8.contains(octet)
                    }
            }
    }
}

/// A value that is fetched once, by one request for all waiting callers.
private actor Discovery {
    private let find: @Sendable () async -> String?
    private var found: String?
    private var fetching: Task<String?, Never>?

    init(find: @escaping @Sendable () async -> String?) {
        self.find = find
    }

    deinit { fetching?.cancel() }

    func value() async -> String? {
        if let found { return found }
        let task = fetching ?? Task { [find] in await find() }
        fetching = task
        let value = await task.value
        if fetching == task { fetching = nil }
        if let value { found = value }
        return value
    }
}

extension AccessTokenSource {
    /// Fetches tokens of the service account that the machine runs as, from Google Cloud's metadata server.
    ///
    /// - Parameter origin: The metadata server, without a path, such as `http://metadata.google.internal`.
    /// - Returns: The source, with a cache.
    package static func metadata(
        origin: String, transport: HTTPTransport, time: TimeSource, retries: RetryPolicy
    ) -> Self {
        let request = MetadataServer.request("token", origin: origin)
        return cached(time: time) { () async throws(AccessTokenError) in
            try await IssuedAccessToken.request(request, over: transport, time: time, retries: retries)
        }
    }

    static func cached(time: TimeSource, fetch: @escaping AccessTokenCache.Fetch) -> Self {
        let cache = AccessTokenCache(time: time, fetch: fetch)
        return Self { refused async throws(AccessTokenError) in try await cache.token(refused: refused) }
    }
}

/// Google Cloud's metadata server, which describes the machine that sends the request.
enum MetadataServer {
    /// Returns the request for a property of the service account that the machine runs as.
    ///
    /// - Parameters:
    ///   - item: The property, `token` or `email`.
    ///   - origin: The metadata server, without a path.
    static func request(_ item: String, origin: String) -> OutboundRequest {
        request(path: "instance/service-accounts/default/" + item, origin: origin)
    }

    /// Returns the request for a value at a path below `computeMetadata/v1`.
    static func request(path: String, origin: String) -> OutboundRequest {
        var request = OutboundRequest(
            .get, origin + "/computeMetadata/v1/" + path,
            // The server requires this field, which a web page cannot make a browser send.
            header: [HeaderField("Metadata-Flavor", "Google")], timeout: .seconds(5), maximumBodyBytes: 16 * 1024)
        request.reachesMetadataServer = true
        return request
    }
}

/// The region of Google Cloud in which this machine runs.
package enum ServerRegion {
    /// Finds the region: from `instance/region`, as Cloud Run has it, or from `instance/zone` of a virtual machine.
    ///
    /// - Parameter origin: The metadata server, without a path.
    /// - Returns: A name such as `europe-west3`; `nil` if there is no metadata server, or it knows no region.
    package static func find(origin: String, transport: HTTPTransport) async -> String? {
        if let region = await name(of: "region", origin, transport) { return region }
        // A zone is the region, a hyphen and a letter.
        guard let zone = await name(of: "zone", origin, transport), let hyphen = zone.lastIndex(of: "-") else {
            return nil
        }
        return String(zone[..<hyphen])
    }

    /// Returns the last part of `projects/NUMBER/regions/NAME`.
    private static func name(of item: String, _ origin: String, _ transport: HTTPTransport) async -> String? {
        guard
            let response = try? await transport.send(MetadataServer.request(path: "instance/" + item, origin: origin)),
            response.status == 200, let text = String(validating: response.body, as: UTF8.self),
            text.hasPrefix("projects/"), let name = text.split(separator: "/").last?.split(separator: "\n").first,
            name.utf8.count <= 64,
            name.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        return String(name)
    }
}
