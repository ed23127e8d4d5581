internal import Jansson
internal import OpenSSL

/// An endpoint that takes ID tokens of the provider.
///
/// An endpoint that is added here inherits all rows of ``ForgedTokens``.
enum TokenDoor: String, CaseIterable, Sendable {
    /// `POST /v1/exchange` with an ID token.
    case exchange
    /// `POST /token` with a subject token (RFC 8693).
    case subjectToken = "token"
    /// `POST /v1/exchange` with a code, for which the provider returns the token.
    case redeemedCode = "code"
    /// `GET /callback/{provider}` with a code, for which the provider returns the token.
    case callback
    /// `POST /v1/account/link` with an ID token.
    case link

    /// The endpoints at which a client, and not the provider, sends the token, so that its age counts.
    static let posted: [Self] = [.exchange, .subjectToken, .link]
    /// The doors at which the provider's token endpoint sends the token, which may be longer there.
    static let redeemed = allCases.filter { !posted.contains($0) }

    var stage: Stage {
        switch self {
        case .exchange: .idToken
        case .subjectToken: .tokenExchange
        case .redeemedCode: .code
        case .callback: .callback
        case .link: .link
        }
    }

    var needs: Set<Need> {
        switch self {
        case .exchange, .redeemedCode: [.standIns]
        case .subjectToken: [.standIns, .tokenExchange]
        case .callback: [.standIns, .browserFlow]
        case .link: [.standIns, .accounts]
        }
    }

    /// Returns the id of the attack that sends the token of a row here.
    func id(of forgery: String) -> String {
        let id = self == .exchange ? forgery : forgery + "-" + rawValue
        return Self.namedIDs[id] ?? id
    }

    func sentence(_ what: String) -> String {
        switch self {
        case .exchange: "An ID token is posted \(what)."
        case .subjectToken: "A subject token is posted \(what)."
        case .redeemedCode: "The provider's response to a posted code contains an ID token \(what)."
        case .callback: "The provider's response in a browser flow contains an ID token \(what)."
        case .link: "An account is linked with an ID token \(what)."
        }
    }

    /// Sends a token that `change` has altered, and expects a refusal that issues nothing.
    func fire(
        _ context: AttackContext, expecting reasons: Set<String>, _ change: (inout TokenDraft) async throws -> Void
    ) async throws {
        let refusal = Expectation(statuses: [400], errors: ["invalid_grant"], reasons: reasons)
        switch self {
        case .exchange:
            await context.fire(try await context.forged(change), expecting: refusal)
        case .subjectToken:
            await context.fire(try await context.forgedSubject(change), expecting: .badSubject(reasons))
        case .redeemedCode:
            let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
            let request = context.exchange(try await context.yahooCode(nonce: nonce))
            try await context.provideToken(nonce: nonce, change)
            let mark = try await context.mark()
            await context.fire(request, expecting: refusal)
            try await context.expectCalls(["yahoo.token": 1, "yahoo.userinfo": 0], since: mark)
        case .callback:
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            let query = PercentEncoding.query(of: flow.authorizationURL)
            try await context.provideToken(nonce: query.first { $0.name == "nonce" }?.value, change)
            await context.fire(
                await context.callback(target, in: flow.browser), tellingApplication: [], state: flow.state)
        case .link:
            let (nonce, verifier) = try await context.nonce()
            var draft = try await context.draft(nonce: nonce)
            try await change(&draft)
            let proof = JSON.idToken(try await draft.token(by: context.standIns), nonce: verifier)
            let bearer = try await context.stranger().bearer
            await context.fire(context.link(bearer, proof), expecting: refusal)
        }
    }

    /// Attacks that are known by ids of their stage.
    private static let namedIDs = [
        "IDT-19c-token": "TX-01a", "IDT-18a-token": "TX-01b", "IDT-18h-token": "TX-01c", "IDT-25a-token": "TX-01d",
        "IDT-09a-token": "TX-01e", "IDT-57a-token": "TX-01f", "IDT-06a-token": "TX-01g", "IDT-26d-token": "TX-01h",
        "IDT-28b-token": "TX-01i", "IDT-28a-token": "TX-01j", "IDT-16a-token": "TX-01k", "IDT-15a-token": "TX-01l",
        "IDT-30b-token": "TX-01m", "IDT-25c-token": "TX-01n", "IDT-13g-token": "TX-01o", "IDT-21a-token": "TX-01p",
        "IDT-49b-token": "TX-04a", "IDT-49a-token": "TX-04b",
        "IDT-09a-code": "EX-31a", "IDT-57a-code": "EX-31b", "IDT-18a-code": "EX-31c", "IDT-25a-code": "EX-31d",
        "IDT-21a-code": "EX-31e", "EX-31f-code": "EX-31f",
        "IDT-28a-callback": "CB-21", "IDT-28b-callback": "CB-21a", "IDT-19c-callback": "CB-29",
        "IDT-18a-callback": "CB-29a", "IDT-25a-callback": "CB-29b", "IDT-29a-callback": "CB-29c",
        "IDT-30b-callback": "CB-29d", "IDT-09a-callback": "CB-29e", "IDT-57a-callback": "CB-29f",
        "IDT-05a-callback": "CB-29g", "IDT-16a-callback": "CB-29h", "IDT-15a-callback": "CB-29i",
    ]
}

extension AttackContext {
    /// Makes the provider return an altered ID token for the next code, and no userinfo.
    fileprivate func provideToken(
        nonce: String?, _ change: (inout TokenDraft) async throws -> Void
    ) async throws {
        var draft = try await draft(nonce: nonce)
        try await change(&draft)
        let token = try await draft.token(by: standIns)
        await secret(token)
        try await standIns.fault(["target": "yahoo.token", "times": 1, "set": ["id_token": .string(token)]])
        // The userinfo would be that of the user of the code. This refusal does not prevent a sign-in.
        try await standIns.fault(["target": "yahoo.userinfo", "status": 403])
    }
}
