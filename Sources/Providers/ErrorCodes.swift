internal import Jansson
internal import Transport

/// What the codes in the body of a refusal mean, for an API that names the cause there and not in the status.
///
/// Two forms are read: `{"errors": [{"code": 64}]}`, and the `type` or `reason` of problem details (RFC 9457).
package struct ErrorCodes: Sendable, Equatable {
    /// Codes that speak of our own registration.
    package let refusals: [Int64: ClientRefusal]
    /// Codes of a person whose account the provider has suspended or locked, or has no more.
    package let disabledAccounts: Set<Int64>
    /// The last part of a problem's `type`, or its `reason`.
    package let problems: [String: ClientRefusal]

    package init(
        refusals: [Int64: ClientRefusal] = [:], disabledAccounts: Set<Int64> = [],
        problems: [String: ClientRefusal] = [:]
    ) {
        self.refusals = refusals
        self.disabledAccounts = disabledAccounts
        self.problems = problems
    }

    package static let none = ErrorCodes()

    /// - Returns: Nil if the body names no cause that is known here.
    func failure(of response: OutboundResponse) -> ProviderFailure? {
        guard self != .none, let answer = try? JSON.parse(response.body, maximumBytes: 64 * 1024) else { return nil }
        let codes = (answer["errors"]?.array ?? []).compactMap { $0["code"]?.integer }
        if codes.contains(where: disabledAccounts.contains) { return .accountDisabled }
        if let refusal = codes.lazy.compactMap({ refusals[$0] }).first { return .refusedClient(refusal) }
        let type = answer["type"]?.string?.split(separator: "/").last.map(String.init)
        let names = [answer["reason"]?.string, type].compactMap(\.self)
        return names.lazy.compactMap { problems[$0] }.first.map(ProviderFailure.refusedClient)
    }
}
