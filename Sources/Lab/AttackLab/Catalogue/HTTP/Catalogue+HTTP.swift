extension Catalogue {
    /// Attacks on the parsing of requests.
    static let http: [Attack] = [
        slowSenders, largeBodies, largeHeaders, methods, otherAddresses, paths, forms, json, garbage, mediaTypes,
        origins, connections, framing, hosts, notHTTP, fields, echoes, adminPaths,
    ].flatMap(\.self)
}
