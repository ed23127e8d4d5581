internal import Pages

extension Destination {
    /// Where an application's redirect URI leads, in the words of a page.
    init(of redirectURI: String) {
        let halves = redirectURI.split(separator: ":", maxSplits: 1)
        let host = halves.last?.drop { $0 == "/" }.prefix { !"/?#:".contains($0) } ?? ""
        self =
            switch halves.first {
            case "https": .website(host: String(host))
            // Plain http is registered for loopback addresses alone.
            case "http": .thisDevice
            case let scheme: .application(scheme: String(scheme ?? ""))
            }
    }
}
