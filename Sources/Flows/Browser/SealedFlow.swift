internal import JOSE
internal import Jansson
internal import OpenSSL
package import Standards
internal import Stores

/// The browser flows in progress, each in a cookie that only this server can read.
struct SealedFlows: Sendable {
    let seal: Seal
    let time: TimeSource
    let random: RandomSource

    /// Seals a flow into a cookie, whose name is derived from the handle of the flow.
    func cookie(
        _ purpose: SealedFlow.Purpose, upstreamRequest: SealedFlow.UpstreamRequest?, conflict: OpenConflict? = nil,
        challenge: Secret? = nil, page: SealedFlow.Page? = nil, handle: String
    ) throws -> FlowCookie {
        let name = FlowCookie.name(of: handle)
        let id = try random.unguessableText()
        let flow = SealedFlow(
            id: id, expiresAt: time.now() + SealedFlow.lifetime, purpose: purpose, upstreamRequest: upstreamRequest,
            conflict: conflict, challenge: challenge, page: page)
        let value = try seal.seal(flow.json, as: .flow, for: name)
        // RFC 6265 §6.1: a browser need not keep a cookie of more than 4096 octets, including its attributes.
        guard value.utf8.count <= 3800 else { throw Refusal.requestTooLarge }
        return FlowCookie(name: name, value: Secret(value))
    }

    /// Returns a flow of this browser, which may have expired.
    func opened(_ handle: String, _ cookies: FlowCookies) -> SealedFlow? {
        let name = FlowCookie.name(of: handle)
        guard let value = cookies[name] else { return nil }
        return seal.open(value.secretText, as: .flow, for: name).flatMap(SealedFlow.init)
    }

    /// Returns a flow of this browser that the button of a page has begun, as long as the page itself would be valid.
    func begun(byPage handle: String, _ cookies: FlowCookies) -> SealedFlow? {
        let page = FlowCookie.name(of: handle)
        guard cookies[page] == nil else { return nil }
        return cookies.lazy
            .compactMap { name, value in seal.open(value.secretText, as: .flow, for: name).flatMap(SealedFlow.init) }
            .first { $0.page.map { $0.name == page && time.now() < $0.expiresAt } ?? false }
    }
}

/// The content of a flow's cookie.
struct SealedFlow {
    static let lifetime = Duration.seconds(600)

    let id: String
    let expiresAt: NumericDate
    let purpose: Purpose
    /// The part at the provider; `nil` until a provider is chosen.
    let upstreamRequest: UpstreamRequest?
    /// The conflict that the person is settling; `nil` before there is one.
    let conflict: OpenConflict?
    /// The identity whose second factor the person is asked for; `nil` on any other page.
    let challenge: Secret?
    /// The page whose button has begun the flow, and whose cookie has made room for that of the flow; `nil` without a page.
    let page: Page?

    struct Page {
        /// The name of its cookie.
        let name: String
        let expiresAt: NumericDate

        init(handle: String, expiresAt: NumericDate) {
            name = FlowCookie.name(of: handle)
            self.expiresAt = expiresAt
        }

        init?(_ content: JSON) {
            guard let name = content["name"]?.string, let expiry = content["exp"]?.integer else { return nil }
            self.name = name
            expiresAt = NumericDate(expiry)
        }

        var json: JSON { .object(["name": .string(name), "exp": .integer(expiresAt.seconds)]) }
    }

    enum Purpose {
        case application(AuthorizationRequest)
        /// A confirmation page. It has no upstream request, because the provider's response goes to the application.
        case confirmation(Confirmation)
        /// A user code, and the browser that confirmed it.
        case device(userCode: String, browser: String)
    }

    /// The part of a flow at the provider.
    struct UpstreamRequest {
        let provider: ProviderID
        let binding: FlowBinding
    }

    var beganAt: NumericDate { expiresAt - Self.lifetime }

    var record: SpentRecord {
        SpentRecord(.flow, of: [Array(id.utf8)], issuedAt: beganAt, expiresAt: expiresAt + .seconds(60))
    }

    var json: JSON {
        var members: [String: JSON] = ["id": .string(id), "exp": .integer(expiresAt.seconds)]
        switch purpose {
        case .application(let request): members["request"] = request.json
        case .confirmation(let confirmation): members["departure"] = confirmation.json
        case .device(let userCode, let browser):
            members["user_code"] = .string(userCode)
            members["browser"] = .string(browser)
        }
        members["conflict"] = conflict?.json
        members["challenge"] = (challenge?.secretText).map(JSON.string)
        members["page"] = page?.json
        if let upstreamRequest {
            members["provider"] = .string(upstreamRequest.provider.text)
            members["binding"] = .object(upstreamRequest.binding.members)
        }
        return .object(members)
    }
}

extension SealedFlow {
    init?(_ content: JSON) {
        guard let id = content["id"]?.string, let expiry = content["exp"]?.integer else { return nil }
        if let request = content["request"].flatMap(AuthorizationRequest.init) {
            purpose = .application(request)
        } else if let confirmation = content["departure"].flatMap(Confirmation.init) {
            purpose = .confirmation(confirmation)
        } else if let userCode = content["user_code"]?.string, let browser = content["browser"]?.string {
            purpose = .device(userCode: userCode, browser: browser)
        } else {
            return nil
        }
        self.id = id
        expiresAt = NumericDate(expiry)
        conflict = content["conflict"].flatMap(OpenConflict.init)
        challenge = content["challenge"]?.string.map(Secret.init)
        page = content["page"].flatMap(Page.init)
        if let provider = content["provider"]?.string,
            let binding = content["binding"].flatMap(FlowBinding.init)
        {
            upstreamRequest = UpstreamRequest(provider: ProviderID(provider), binding: binding)
        } else {
            upstreamRequest = nil
        }
    }
}

/// The callbacks for which a response is being made.
actor CallbacksInProgress {
    private var steps: [String: Task<AuthorizationStep, any Error>] = [:]

    /// Returns the result of `step`, or that of the call with the same key that is in progress.
    ///
    /// The step has a task of its own, so that it ends as well if the connection of the first call is lost.
    func result(
        of key: String, _ step: @escaping @Sendable () async throws -> AuthorizationStep
    ) async throws -> AuthorizationStep {
        if let first = steps[key] { return try await first.value }
        let task = Task { try await step() }
        steps[key] = task
        defer { steps[key] = nil }
        return try await task.value
    }
}

/// The cookie of a browser flow: its sealed content, under a name that is derived from the handle of the flow.
///
/// The provider returns the handle (`state`, or the OAuth 1.0a request token), or a form of this server does. Several
/// flows in one browser have different cookies.
package struct FlowCookie: Sendable {
    /// The name of the cookie, without its prefix.
    package let name: String
    package let value: Secret

    package static func name(of handle: String) -> String {
        "flow-" + String(Base64URL.encode(SHA256.hash(Array("token-exchange flow\0\(handle)".utf8))).prefix(22))
    }
}

/// The flows that a browser sent, by the names of their cookies.
package typealias FlowCookies = [String: Secret]
