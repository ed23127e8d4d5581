/// A path of Google's, taken apart: what is asked, and of whom.
struct GooglePath: Sendable {
    /// Where Identity Toolkit and Secure Token stand.
    enum Layout: Sendable {
        /// As at Google: `/v1/…`.
        case plain
        /// As in the Firebase emulator: `/identitytoolkit.googleapis.com/v1/…`.
        case emulator
    }

    let endpoint: Endpoint
    let layout: Layout
    let tenantID: String?
    private let values: [String: String]

    /// Nil where nothing is.
    init?(_ path: String) {
        let split = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var segments = split.compactMap { PercentEncoding.decode($0, plusIsSpace: false) }
        guard segments.count == split.count else { return nil }
        let isEmulated = segments.first.map(Self.hosts.contains) == true
        if isEmulated { segments.removeFirst() }
        // `/v1/projects/{project}/tenants/{tenant}/…` is as without a tenant.
        if segments.count > 5, segments[1] == "projects", segments[3] == "tenants" {
            tenantID = segments[4]
            segments.removeSubrange(3...4)
        } else {
            tenantID = nil
        }
        for endpoint in Endpoint.allCases where endpoint.standIn == .google {
            guard let values = Self.match(segments, endpoint.path) else { continue }
            guard endpoint.isOfIdentityToolkit || !isEmulated && tenantID == nil else { return nil }
            self.endpoint = endpoint
            self.values = values
            layout = isEmulated ? .emulator : .plain
            return
        }
        return nil
    }

    /// Empty where the path has none.
    var projectID: String { values["project"] ?? "" }

    /// Of a service account; empty where the path has none.
    var email: String { values["email"] ?? "" }

    private static let hosts: Set = ["identitytoolkit.googleapis.com", "securetoken.googleapis.com"]

    /// What stands for each `{name}` of the template; nil where the path is another.
    private static func match(_ segments: [String], _ template: String) -> [String: String]? {
        let patterns = template.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard patterns.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (pattern, segment) in zip(patterns, segments) {
            guard pattern.hasPrefix("{"), let end = pattern.firstIndex(of: "}") else {
                guard segment.utf8.elementsEqual(pattern.utf8) else { return nil }
                continue
            }
            let suffix = pattern[pattern.index(after: end)...]
            let value = segment.dropLast(suffix.count)
            guard segment.hasSuffix(suffix), !value.isEmpty else { return nil }
            values[String(pattern[..<end].dropFirst())] = String(value)
        }
        return values
    }
}
