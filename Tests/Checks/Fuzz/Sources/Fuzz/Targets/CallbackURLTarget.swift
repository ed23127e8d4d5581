import Providers
import Standards

@testable import Flows

/// The callback URL that an application posts, and on a second line the redirect URI of its session.
enum CallbackURLTarget {
    static func check(_ input: [UInt8]) {
        let lines = Input(input, parts: 2)
        guard let url = lines.text(0), let own = lines.text(1) else { return }
        for redirectURI in ["https://app.example/callback", "com.example.app:/yahoo?keep=1", own]
        where !redirectURI.isEmpty {
            guard let parameters = try? CallbackURL.parameters(of: Secret(url), redirectURI: redirectURI) else {
                continue
            }
            let prefix = redirectURI.utf8
            demand(url.utf8.starts(with: prefix), "the URL begins with the redirect URI")
            let rest = Array(url.utf8.dropFirst(prefix.count))
            let query = rest.first == octet("/") ? rest.dropFirst() : rest[...]
            demand(
                query.first == octet(prefix.contains(octet("?")) ? "&" : "?"),
                "a query follows it, or a slash and a query")
            let fragment = query.drop { $0 != octet("#") }
            demand(
                fragment.isEmpty || fragment.elementsEqual("#".utf8) || fragment.elementsEqual("#_=_".utf8),
                "the fragment has no content")
            let names = parameters.pairs.map(\.name)
            demand(
                Set(names).subtracting(CallbackURL.readParameters).subtracting(CallbackURL.errorParameters)
                    .isSubset(of: [CallbackName.parameter, CallbackURL.escapedState]),
                "only the parameters that are read are returned")
            demand(Set(names).count == names.count, "none of them occurs twice")
        }
    }
}
