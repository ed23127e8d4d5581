internal import Flows
internal import Hummingbird
internal import Logging
internal import Providers
internal import Standards
internal import Stores

/// The endpoint to which providers send events, such as a logout.
///
/// A provider needs no client id: the signature of its message is all that counts.
struct EventRoutes: Sendable {
    let limits: ServerLimits
    let rates: Rates
    let metrics: Metrics

    func receive(_ incoming: IncomingRequest) async -> EndpointResponse {
        let message = EventMessages.message(of: incoming.request)
        do throws(Refusal) {
            // An address that has used up its rate is refused before its body is read.
            try rates.refusedEvents?.take(incoming.address)
            rates.refusedEvents?.refund(incoming.address)
            return try await receive(message, incoming)
        } catch {
            // RFC 8935 §2: a provider that has missed the response sends the token again. A logout token is sent once.
            if error.reason == .replayed, let message, message != .logoutToken {
                return EndpointResponse(response: EventMessages.accepted(message), reason: .replayed, failure: error)
            }
            // Only what costs the check of a signature and proves no provider counts. All tenants of a hosted provider send
            // from the same addresses, so that the validly signed messages of one must not stop those of another.
            if error.reason == .signatureInvalid { try? rates.refusedEvents?.take(incoming.address) }
            return EndpointResponse(
                response: EventMessages.response(to: error, of: message, requestID: incoming.requestID),
                reason: error.reason, failure: error)
        }
    }

    private func receive(
        _ message: EventMessage?, _ incoming: IncomingRequest
    ) async throws(Refusal) -> EndpointResponse {
        let provider = try incoming.flows.registrations.provider(ProviderID(incoming.parameter))
        incoming.notes.note(provider: provider.id)
        guard let message else { throw EventMessages.unsupportedMediaType }
        let token = try await EventMessages.token(of: message, incoming, limits: limits)
        let outcome = try await incoming.call(
            await incoming.flows.events.receive(token, as: message, from: provider.id))
        metrics.recordEvent(provider: provider.id.text, event: outcome.kind.rawValue)
        if outcome.keepsSessions {
            incoming.logger.warning(
                "a provider has ended a session, but the service account may not end those at Firebase",
                metadata: [
                    "request_id": "\(incoming.requestID)", "provider": "\(provider.id)",
                    "advice": "\(StoreFault.roleOfDirectory)",
                ])
        }
        return EndpointResponse(response: EventMessages.accepted(message))
    }
}
