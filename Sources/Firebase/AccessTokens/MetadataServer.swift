package import JOSE
package import Transport

/// Which service account signs where no key of it is at hand.
package struct ServiceAccountEmail: Sendable {
    /// Nil where it cannot be had for now.
    package let find: @Sendable () async -> String?

    /// As the configuration names it; nil for what is no address.
    package static func configured(_ text: String) -> Self? {
        guard isAddress(text) else { return nil }
        return Self { text }
    }

    /// The one that the machine runs as, asked for until it is known and never again.
    ///
    /// - `origin`: of the metadata server, without a path.
    package static func discovered(
        origin: String, transport: HTTPTransport, time: TimeSource, retries: RetryPolicy = RetryPolicy()
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

    /// It becomes part of a path as it stands.
    ///
    /// A machine of a cluster may have a name that is none.
    private static func isAddress(_ text: String) -> Bool {
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

/// An answer that stays, and one question for all who wait for it.
private actor Discovery {
    private let find: @Sendable () async -> String?
    private var found: String?
    private var flight: Task<String?, Never>?

    init(find: @escaping @Sendable () async -> String?) {
        self.find = find
    }

    deinit { flight?.cancel() }

    func value() async -> String? {
        if let found { return found }
        let flight = flight ?? Task { [find] in await find() }
        self.flight = flight
        let answer = await flight.value
        if self.flight == flight { self.flight = nil }
        if let answer { found = answer }
        return answer
    }
}

extension AccessTokenSource {
    /// From the machine's own identity, as Google Cloud's metadata server knows it.
    ///
    /// - `origin`: without a path, such as `http://metadata.google.internal`.
    package static func metadata(
        origin: String, transport: HTTPTransport, time: TimeSource, retries: RetryPolicy = RetryPolicy()
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

/// What Google Cloud tells a machine about itself.
enum MetadataServer {
    /// - `item`: `token` or `email` of the service account that the machine runs as.
    static func request(_ item: String, origin: String) -> OutboundRequest {
        OutboundRequest(
            .get, origin + "/computeMetadata/v1/instance/service-accounts/default/" + item,
            // Without it the server answers nobody, so that no page can make a browser ask.
            header: [HeaderField("Metadata-Flavor", "Google")], timeout: .seconds(5), maximumBodyBytes: 16 * 1024)
    }
}
