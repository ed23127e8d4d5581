internal import AttackLab
internal import Transport

/// Calls to whoever is not us.
struct Peer: Sendable {
    let transport: HTTPTransport
    let mistakes: Set<Mistake>

    /// A redirect is an answer like any other, and never followed: it would carry code and secret along.
    func send(_ request: OutboundRequest) async throws(ProviderTrouble) -> OutboundResponse {
        do {
            var request = request
            var response = try await transport.send(request)
            var hops = 0
            while mistakes.contains(.redirectsFollowed), [301, 302, 303, 307, 308].contains(response.status), hops < 5,
                let location = response[field: "Location"]
            {
                request.url = location
                response = try await transport.send(request)
                hops += 1
            }
            return response
        } catch {
            throw ProviderTrouble(error)
        }
    }
}
