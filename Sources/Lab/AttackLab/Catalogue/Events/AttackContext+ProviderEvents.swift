internal import Jansson

/// Messages of `op.example` about events, and what they end.
extension AttackContext {
    private static let path = "/v1/events/"
    private static let logout = "http://schemas.openid.net/event/backchannel-logout"
    static let sessionRevoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"

    /// Returns a logout token for a person, as `change` alters it.
    func logoutToken(
        of subject: String, _ change: (inout TokenDraft) async throws -> Void = { _ in }
    ) async throws -> String {
        var draft = try await draft(subject: subject, nonce: nil)
        draft.header["typ"] = "logout+jwt"
        draft.claims["auth_time"] = nil
        draft.claims["exp"] = .number(lab.now + 120)
        draft.claims["events"] = Self.event(Self.logout)
        try await change(&draft)
        let token = try await draft.token(by: standIns)
        await secret(token)
        return token
    }

    /// Returns a security event token for a person, as `change` alters it.
    func securityEvent(
        of subject: String, _ change: (inout TokenDraft) async throws -> Void = { _ in }
    ) async throws -> String {
        try await logoutToken(of: subject) { draft in
            draft.header["typ"] = "secevent+jwt"
            draft.claims["sub"] = nil
            draft.claims["exp"] = nil
            draft.claims["sub_id"] = .object([
                ("format", "iss_sub"), ("iss", draft.claims["iss"] ?? .null), ("sub", .text(subject)),
            ])
            draft.claims["events"] = Self.event(Self.sessionRevoked)
            try await change(&draft)
        }
    }

    /// Returns the claim `events` with one event.
    static func event(_ name: String, _ content: Forged = .object([])) -> Forged { .object([(name, content)]) }

    func logout(_ token: String, at provider: String = AttackContext.secondProvider) -> Request {
        .form(Self.path + provider, [("logout_token", token)])
    }

    func pushed(_ token: String) -> Request {
        Request(
            "POST", Self.path + Self.secondProvider, fields: [("Content-Type", "application/secevent+jwt")],
            body: Array(token.utf8))
    }

    /// Signs a person in at `op.example`, whose sessions began a while ago.
    func signedIn() async throws -> Member {
        let member = try await enter(at: Self.secondProvider)
        try await changeUser(member.uid, ["valid_since": .integer(lab.now - 1000)])
        return member
    }

    /// Whether the sessions of a user at Firebase were ended since ``signedIn()``.
    func hasEnded(_ member: Member) async throws -> Bool {
        guard let user = try await standIns.firebaseUsers().first(where: { $0["localId"]?.string == member.uid }),
            let validSince = user["validSince"]?.string.flatMap({ Int64($0) })
        else { throw Inconclusive("Firebase's stand-in does not know the user.") }
        return validSince > lab.now - 900
    }

    /// Sends a message, and expects that it is refused or has no effect.
    func fire(_ request: Request, expecting expectation: Expectation, keeps member: Member) async throws {
        await fire(request, expecting: expectation)
        await expect(try await !hasEnded(member), .sideEffect, "The message has ended the sessions of the person.")
    }

    /// Sends a valid message, and expects that it ends the sessions of the person.
    func expectEnd(of member: Member, by request: Request, status: Int = 200) async throws {
        try await honest(request, status: status)
        await expect(try await hasEnded(member), .wrongAnswer, "The message did not end the sessions of the person.")
    }
}
