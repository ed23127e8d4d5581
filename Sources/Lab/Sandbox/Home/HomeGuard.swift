/// Keeps web pages from elsewhere from driving the home page.
enum HomeGuard {
    /// The home page's origin, under the one name that its redirect URIs and cookie know; nil for a `Host` that is not
    /// this machine's, as a page sends it that rebinds its own name to 127.0.0.1.
    static func origin(_ request: IncomingRequest) -> String? {
        guard let host = host(request) else { return nil }
        return "http://127.0.0.1" + host.port
    }

    static func isLocalhost(_ request: IncomingRequest) -> Bool {
        host(request)?.name == "localhost"
    }

    /// Whether a POST comes from a page of this origin.
    ///
    /// Where the browser does not say (Fetch Metadata §2.3), `Origin` must be absent or ours.
    static func isFromHere(_ request: IncomingRequest, origin: String) -> Bool {
        let sites = request.fields("sec-fetch-site")
        guard sites.isEmpty else { return sites == ["same-origin"] }
        return request.fields("origin").allSatisfy { $0 == origin }
    }

    private static func host(_ request: IncomingRequest) -> (name: Substring, port: Substring)? {
        let fields = request.fields("host")
        guard fields.count == 1 else { return nil }
        let name = fields[0].prefix { $0 != ":" }
        let port = fields[0].dropFirst(name.count)
        guard name == "127.0.0.1" || name == "localhost",
            port.isEmpty
                || port.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
                    && UInt16(port.dropFirst()) != nil
        else { return nil }
        return (name, port)
    }
}
