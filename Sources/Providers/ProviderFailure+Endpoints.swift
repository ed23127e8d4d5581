package import Jansson
internal import Standards
package import Transport

extension ProviderFailure {
    /// The failure of a call to an endpoint that discloses a profile, names the application of a token, or revokes it.
    ///
    /// - Parameters:
    ///   - response: Its response, whose status is not 200.
    ///   - request: The request, whose credentials are left out of what the operator reads.
    ///   - codes: The meaning of the codes in its body.
    package init(
        of endpoint: ProviderEndpoint, _ response: OutboundResponse, to request: OutboundRequest,
        codes: ErrorCodes = .none
    ) {
        let failure = ProviderFailure(response, codes: codes)
        if case .failed(let status) = failure, (300..<500).contains(status), !failure.isPassing {
            self =
                response.body.isPageOrItsCode && status >= 400
                ? .pageInPlaceOfProfile(endpoint, status: status)
                : .refusedProfile(endpoint, status: status, says: ProviderWords.of(response, to: request))
        } else {
            self = failure
        }
    }

    /// The failure of a user endpoint that answers with status 200 and an error; `nil` for any other answer.
    ///
    /// - Parameters:
    ///   - answer: Its body, which names no person.
    ///   - request: The request, whose credentials are left out of what the operator reads.
    package static func errorInPlaceOfProfile(
        _ response: OutboundResponse, _ answer: JSON, to request: OutboundRequest
    ) -> Self? {
        // Douyin writes the number into `data`.
        let isNumbered = [answer, answer["data"]].compactMap(\.self).contains { object in
            ["errcode", "error_code", "errorCode"].contains { name in
                object[name].map { ![.null, .integer(0), .string(""), .string("0")].contains($0) } ?? false
            }
        }
        // TikTok writes `{"code": "ok"}` beside a profile.
        let isSuccess = answer["error"]?["code"].map { [JSON.string("ok"), .integer(0)].contains($0) } == true
        let isNamed =
            !isSuccess && answer["error"].map { ![.null, .bool(false), .integer(0), .string("")].contains($0) } == true
        // GraphQL: `{"data": {"viewer": null}, "errors": [...]}`.
        let hasData = answer["data"]?.object?.values.contains { $0 != .null } == true
        let isListed = answer["errors"]?.array?.isEmpty == false && !hasData
        let isFlagged =
            ["success", "ok"].contains { answer[$0] == JSON.bool(false) }
            || ["error", "fail"].contains(answer["status"]?.string ?? "")
        let isStatus = ["status_code", "status", "statusCode"].contains { (answer[$0]?.integer ?? 0) >= 400 }
        // DingTalk and others: `{"code": 40001, "msg": "..."}`. Some write 0 or 200 beside what was asked for.
        let code = answer["code"].flatMap { $0.integer ?? $0.string.flatMap { Int64($0) } } ?? 0
        let isCoded =
            ![0, 200].contains(code) && answer["data"]?.object == nil
            && ["msg", "message"].contains { answer[$0]?.string?.isEmpty == false }
        // Apigee, in front of the provider.
        let isFault = answer["fault"]?.object != nil
        guard isNumbered || isNamed || isListed || isFlagged || isStatus || isCoded || isFault else { return nil }
        return .refusedProfile(.user, status: response.status, says: ProviderWords.of(response, to: request))
    }

    /// The statuses by which a server says that there is no such endpoint (RFC 9110 §15.5).
    package static let absent: Set<Int> = [404, 405, 410]

    /// The statuses that send the client to the address in `Location` (RFC 9110 §15.4).
    static let redirects: Set<Int> = [301, 302, 303, 307, 308]
}
