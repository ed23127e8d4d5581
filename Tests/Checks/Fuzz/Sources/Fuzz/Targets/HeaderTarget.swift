import Settings
import Transport

@testable import Server
@testable import Standards

/// Header fields, and names that pages show.
enum HeaderTarget {
    private static let proxy = "10.0.0.1"
    private static let addresses = ClientAddress(
        parse: { IPAddress.parse($0) }, trustsEveryPeer: false, lastHopIsProxy: false,
        isTrusted: { $0 == [10, 0, 0, 1] })

    static func check(_ input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        checkForwardedFor(text)
        checkFreshness(text)
        checkName(text)
        let language = PageLanguage.preferred(acceptLanguage: text, uiLocales: nil)
        demand(
            PageLanguage.preferred(acceptLanguage: text, uiLocales: language.rawValue) == language,
            "ui_locales comes first")
    }

    /// The entries of a client do not change the address that is counted: the trusted proxy wrote the last entry.
    private static func checkForwardedFor(_ claim: String) {
        for field in [claim + ", 203.0.113.7", claim + ",203.0.113.7"] {
            let network = addresses.network(peer: proxy, forwardedFor: [field])
            demand(network.name == "203.0.113.7", "the entry of the trusted proxy counts")
        }
        let direct = addresses.network(peer: "203.0.113.9", forwardedFor: [claim])
        demand(direct.name == "203.0.113.9", "only a trusted proxy is believed")
        if let address = IPAddress.parse(claim) {
            demand([4, 16].contains(address.count), "an address has 4 or 16 octets")
            demand(claim.utf8.allSatisfy { $0 < 0x80 }, "an address is written in ASCII")
        }
    }

    private static func checkFreshness(_ field: String) {
        let policy = DocumentPolicy()
        for header in [
            [HeaderField("Cache-Control", field)], [.init("Cache-Control", "max-age=600"), .init("Age", field)],
        ] {
            let lifetime = Freshness.lifetime(of: OutboundResponse(status: 200, header: header), policy: policy)
            demand(
                (policy.minimumLifetime...policy.maximumLifetime).contains(lifetime), "a lifetime is within its bounds")
        }
    }

    private static func checkName(_ text: String) {
        let shown = DisplayName.shown(text)
        demand(!shown.isEmpty && shown.unicodeScalars.count <= 121, "a name is neither empty nor long")
        demand(
            !shown.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.properties.isBidiControl },
            "a name has no controls")
        for character in shown where character.unicodeScalars.count > 1 {
            demand(
                !character.unicodeScalars.contains { "<>&\"'".unicodeScalars.contains($0) },
                "markup is escaped")
        }
        demand(
            TypedCode.shown(text).utf8.allSatisfy { !"<>&\"'".utf8.contains($0) }, "a typed code has no markup")
    }
}
