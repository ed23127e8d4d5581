extension Catalogue {
    /// How requests are read, before anybody looks at what they ask for.
    static let http: [Attack] = [
        slowSenders, largeBodies, largeHeaders, methods, otherAddresses, paths, forms, json, garbage, mediaTypes,
        origins, connections, framing, hosts, notHTTP, fields, echoes, adminPaths,
    ].flatMap(\.self)
}
