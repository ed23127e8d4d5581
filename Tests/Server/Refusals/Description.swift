import Jansson
import Testing
import Transport

/// The error responses in the API description.
struct Description {
    let document: JSON

    /// Returns `nil` if the server has stopped.
    init?(_ server: TestServer) async {
        guard let response = try? await server.get("/openapi.json"), response.status == 200,
            let document = try? JSON.parse(response.body, maximumBytes: 1 << 20, maximumDepth: 32)
        else { return nil }
        self.document = document
    }

    /// The table of all reasons.
    var rows: [String: Contract.Row] {
        let reason = document["components"]?["schemas"]?["Error"]?["properties"]?["reason"]
        return (reason?["x-reasons"]?.object ?? [:]).mapValues { row in
            Contract.Row(
                status: Int(row["status"]?.integer ?? 0), error: row["error"]?.string ?? "",
                code: row["code"]?.string ?? "")
        }
    }

    /// The operations of all methods at a path, which metrics name without its parameter.
    func operations(at path: String) -> [JSON] {
        let whole =
            [
                "/callback": "/callback/{provider}", "/logo": "/logo/{digest}", "/v1/events": "/v1/events/{provider}",
            ][path] ?? path
        return Array((document["paths"]?[whole]?.object ?? [:]).values)
    }

    /// The methods of each path whose errors are JSON, sorted, without that for servers of providers.
    var methodsForApplications: [String: [String]] {
        (document["paths"]?.object ?? [:]).filter { $0.key != "/v1/events/{provider}" }.compactMapValues { item in
            let operations = item.object ?? [:]
            let isForApplications = operations.values.contains { operation in
                operation["responses"]?["400"]?["content"]?["application/json"] != nil
            }
            return isForApplications ? operations.keys.map { $0.uppercased() }.sorted() : nil
        }
    }

    /// Whether an operation at the path documents the refusal.
    ///
    /// Pages and redirects do not contain the reason, which is only in metrics and logs; nor does the acknowledgement of a
    /// message that was received before.
    func has(_ refusal: CountedRefusal) -> Bool {
        operations(at: refusal.endpoint).contains { operation in
            guard operation["x-reasons"]?.array?.contains(.string(refusal.reason)) == true,
                let response = operation["responses"]?[String(refusal.status)]
            else { return false }
            guard refusal.status >= 300, response["content"]?["application/json"] != nil else { return true }
            return response["x-reasons"]?[refusal.reason] != nil
        }
    }
}

/// A refusal that the server has counted.
struct CountedRefusal: Hashable {
    let endpoint: String
    let status: Int
    let reason: String

    /// Returns the refusals of operations in a text of `/metrics`.
    static func all(in metrics: String) -> Set<CountedRefusal> {
        Set(
            metrics.split(separator: "\n").compactMap { line in
                let parts = line.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
                guard line.hasPrefix("token_exchange_requests_total{endpoint="), parts.count == 7,
                    let status = Int(parts[3]), parts[1] != "other", !["", "method_not_allowed"].contains(parts[5])
                else { return nil }
                return CountedRefusal(endpoint: parts[1], status: status, reason: parts[5])
            })
    }
}

/// Expects the description to have every refusal that the server has counted.
///
/// It checks nothing if the server has stopped.
func expectDescribed(by server: TestServer) async {
    // Otherwise the cached metrics of the last second would be returned.
    server.clock.advance(by: .seconds(1))
    guard let metrics = try? await server.get("/metrics", admin: true), metrics.status == 200 else { return }
    let counted = CountedRefusal.all(in: metrics.text)
    guard !counted.isEmpty, let description = await Description(server) else { return }
    for refusal in counted {
        let isDescribed = description.has(refusal)
        #expect(isDescribed, "GET /openapi.json does not have \(refusal).")
    }
}
