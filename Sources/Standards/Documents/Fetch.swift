internal import Transport

/// One attempt to get a document.
struct Fetch<Value: Sendable>: Sendable {
    struct Product: Sendable {
        let value: Value
        let lifetime: Duration
    }

    let location: @Sendable () async throws(DocumentError) -> String
    let transport: HTTPTransport
    let policy: DocumentPolicy
    let parse: @Sendable ([UInt8]) throws -> Value

    func callAsFunction() async throws(DocumentError) -> Product {
        let request = OutboundRequest(
            .get, try await location(), header: [HeaderField("Accept", "application/json")],
            timeout: policy.timeout, maximumBodyBytes: policy.maximumBodyBytes)
        let response: OutboundResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw .unreachable(error)
        }
        guard response.status == 200 else { throw .status(response.status) }
        let value: Value
        do {
            value = try parse(response.body)
        } catch {
            throw .malformed
        }
        return Product(value: value, lifetime: Freshness.lifetime(of: response, policy: policy))
    }
}
