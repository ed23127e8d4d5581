package import JOSE
package import Transport

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
