/// One `Set-Cookie` field.
struct SetCookie {
    let name: String
    let value: String
    let attributes: [String]

    var isGone: Bool { attributes.contains("Max-Age=0") }
    var hasDomain: Bool { attributes.contains { $0.hasPrefix("Domain") } }

    init(_ field: String) {
        let parts = field.split(separator: ";").map { String($0.drop { $0 == " " }) }
        let pair = (parts.first ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(pair.first ?? "")
        value = pair.count == 2 ? String(pair[1]) : ""
        attributes = Array(parts.dropFirst())
    }
}
