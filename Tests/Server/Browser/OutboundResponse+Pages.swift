import OAuth
import Transport

extension OutboundResponse {
    var setCookies: [SetCookie] {
        header.filter { $0.name.lowercased() == "set-cookie" }.map { SetCookie($0.value) }
    }

    var location: String? { self[field: "Location"] }

    /// Of the URL that the browser is sent to.
    var told: [String: String] {
        let query = (location ?? "").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let pairs = (try? Parameters.parse(query))?.pairs ?? []
        return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The hidden field of a page's form.
    var hiddenFlow: String? {
        text.firstMatch(of: /name="flow" value="([^"]*)"/).map { String($0.output.1) }
    }

    /// The values of a page's buttons of that name.
    func buttons(_ name: String) -> [String] {
        text.matches(of: /<button[^>]* name="([a-z]*)" value="([^"]*)"/).filter { $0.output.1 == name }
            .map { String($0.output.2) }
    }

    /// The page's heading.
    var heading: String? {
        text.firstMatch(of: /<h1[^>]*>(.*)<\/h1>/).map { String($0.output.1).replacing(/<[^>]*>/, with: "") }
    }
}
