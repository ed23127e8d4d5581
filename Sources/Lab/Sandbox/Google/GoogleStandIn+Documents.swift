import Jansson

extension GoogleStandIn {
    /// Key sets and certificates, with the caching that Google allows.
    func keys(_ path: GooglePath) throws(Refusal) -> Answer {
        let now = clock.now
        let document: JSON
        switch path.endpoint {
        case .googleIDTokenCertificates: document = try idTokenKeys.certificates(now: now)
        case .googleIDTokenKeys: document = try idTokenKeys.keySet(now: now)
        case .googleAppCheckKeys, .googleAppCheckBetaKeys: document = try appCheckKeys.keySet(now: now)
        default:
            guard serviceAccounts[exactly: path.email] != nil else {
                throw Refusal(.text("Service account not found.", status: 404))
            }
            var ring = managedKeys[path.email] ?? GoogleKeyRing(owner: path.email)
            document =
                path.endpoint == .googleAccountKeys ? try ring.keySet(now: now) : try ring.certificates(now: now)
            managedKeys[path.email] = ring
        }
        var answer = Answer.document(document)
        answer.header.append(("Cache-Control", "public, max-age=21600, must-revalidate, no-transform"))
        return answer
    }
}
