internal import JOSE
internal import Jansson
package import Providers
package import Standards
package import Stores

/// An event about an identity, proven by a message that its provider signed for this server's client.
///
/// The message may have been received before: ``record`` tells, and is spent after the event has had its effect.
///
/// Only this target makes one: the memberwise initializer is internal. It signs no user in: no ``VerifiedIdentity`` can be
/// made of it.
package struct VerifiedEvent: Sendable {
    package let provider: ProviderID
    package let kind: EventKind
    /// The person; `nil` if the event concerns none, or names the person only by an address, a token or a session.
    package let identity: ExternalIdentity?
    /// The record of the message.
    package let record: SpentRecord
}

extension Verifier {
    /// The maximum age of a message that does not expire.
    ///
    /// Providers send a security event again for days if no server answers (RFC 8935 §2).
    private static let maximumEventAge = Duration.seconds(7 * 86_400)

    /// Verifies a message of a provider about an event.
    ///
    /// - Parameters:
    ///   - token: The logout token, the security event token or the JWT of the notification.
    ///   - message: The form in which it came.
    ///   - openIDConnect: The provider's keys and this server's clients at that provider.
    /// - Throws: A `Refusal` for ``Reason/providerDisabled`` if the configuration does not accept such messages, and for
    ///   the first rule that fails; `DocumentError`.
    package func verify(
        _ token: Secret, as message: EventMessage, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws -> VerifiedEvent {
        guard let accepted = openIDConnect.events[message] else { throw Refusal.eventsDisabled(message) }
        do {
            return try await verified(token, as: message, accepted, with: openIDConnect, of: provider)
        } catch let error as JOSEError {
            throw error.refusal(of: message, cause: error)
        } catch let mismatch as ClaimsMismatch {
            throw mismatch.error.refusal(of: message, cause: mismatch)
        }
    }

    private func verified(
        _ token: Secret, as message: EventMessage, _ accepted: AcceptedEvents, with openIDConnect: OpenIDConnect,
        of provider: Provider
    ) async throws -> VerifiedEvent {
        let jws = try CompactJWS.parse(token.secretText)
        let claims = try await signed(
            jws, with: openIDConnect, keys: accepted.keys, issuers: accepted.source.issuers, type: message.tokenType)
        let issuers: [String]
        if let own = accepted.source.issuers {
            issuers = own
        } else {
            issuers = try await self.issuers(of: claims, with: openIDConnect)
        }
        let maximumAge = message == .logoutToken ? openIDConnect.maximumAge : Self.maximumEventAge
        let expectation = ClaimsExpectation(
            issuers: issuers, audiences: [openIDConnect.clientID] + openIDConnect.furtherClientIDs,
            trustedAudiences: openIDConnect.trustedAudiences,
            // The nonce of a logout token is prohibited, and not compared.
            nonce: .uncheckedBecauseProviderSendsNone,
            maximumAge: maximumAge, maximumLifetime: openIDConnect.maximumLifetime, clockSkew: openIDConnect.clockSkew)
        try checked(claims, expectation, from: .posted) { () throws(JOSEError) in
            try message == .logoutToken
                ? expectation.checkLogoutToken(claims, at: time.now())
                : expectation.checkSecurityEvent(claims, at: time.now())
        }
        let event = try ReportedEvent(claims, as: message, kinds: accepted.source.kinds)
        let ofIDTokens = try await openIDConnect.endpoints().issuers
        let subject =
            switch message {
            case .logoutToken: try Self.subject(ofLogoutToken: claims, with: openIDConnect)
            case .securityEvent:
                try event.subject(
                    of: claims, issuers: issuers + ofIDTokens.filter { !issuers.containsExactly($0) },
                    with: openIDConnect)
            case .notification: event.content["sub"]?.string.flatMap { openIDConnect.subject($0, of: claims) }
            }
        return VerifiedEvent(
            provider: provider.id, kind: event.kind,
            identity: subject.map { ExternalIdentity(provider: provider.id, subject: $0) },
            record: try record(
                of: claims, message, keptFor: maximumAge + openIDConnect.clockSkew + .seconds(60), provider.id))
    }

    /// Returns the person of a logout token.
    ///
    /// Back-Channel Logout §2.4: "A Logout Token MUST contain either a sub or a sid Claim, and MAY contain both."
    private static func subject(ofLogoutToken claims: Claims, with openIDConnect: OpenIDConnect) throws -> Subject? {
        guard claims["sub"] == nil else { return openIDConnect.subject(of: claims) }
        guard claims["sid"] == nil else { throw Refusal.sessionOnly }
        throw JOSEError.missingClaim("sub")
    }

    /// Makes the record that spends a message: of issuer and `jti`, which is unique for an issuer (RFC 8417 §2.2).
    private func record(
        of claims: Claims, _ message: EventMessage, keptFor retention: Duration, _ provider: ProviderID
    ) throws -> SpentRecord {
        let id = try claims.requiredText("jti")
        guard !id.isEmpty else { throw JOSEError.malformedClaim("jti") }
        return SpentRecord(
            .event, of: [provider.text, message.rawValue, claims.issuer ?? "", id].map { Array($0.utf8) },
            // An event that was issued while the store could not record must not be lost: a second use ends sessions, and
            // issues nothing.
            // The age limits every message. Its `exp`, which may be in a thousand years, does not lengthen that.
            issuedAt: nil, expiresAt: try claims.requiredDate("iat") + retention)
    }
}

/// The claim `events` of a message (RFC 8417 §2.2).
private struct ReportedEvent {
    let kind: EventKind
    /// The object of the event.
    let content: JSON

    /// Finds the most serious event of a message.
    ///
    /// - Parameter claims: The claims of the message, whose signature was verified.
    /// - Throws: `JOSEError` if the message has no events, or if a logout token is none.
    init(_ claims: Claims, as message: EventMessage, kinds: [String: EventKind]) throws(JOSEError) {
        guard let events = claims["events"] else { throw .missingClaim("events") }
        if message == .notification {
            let content = Self.object(events)
            guard let content, let type = content["type"]?.string else { throw .malformedClaim("events") }
            kind = kinds[type] ?? .other
            self.content = content
            return
        }
        guard let named = events.object, !named.isEmpty else { throw .malformedClaim("events") }
        if message == .logoutToken {
            // Back-Channel Logout §2.6 (6), and (7): with a nonce, it could be mistaken for an ID token.
            guard named[ProviderEvents.logout]?.object != nil else { throw .malformedClaim("events") }
            guard claims["nonce"] == nil else { throw .forbiddenClaim("nonce") }
        }
        let found = named.map { (kind: kinds[$0.key] ?? .other, content: $0.value) }
        let first = found.max { $0.kind < $1.kind }
        kind = first?.kind ?? .other
        content = first?.content ?? .null
    }

    /// Reads an event that is an object, or a text with the JSON of one, as Apple sends it.
    private static func object(_ events: JSON) -> JSON? {
        if events.object != nil { return events }
        guard let text = events.string.map({ Array($0.utf8) }) else { return nil }
        return try? JSON.parse(tolerantly: text, maximumBytes: text.count)
    }

    /// Returns the person of a security event.
    ///
    /// RFC 9493 §3.2.2 puts issuer and subject into `sub_id`, beside `events` or within the event; with other members in the
    /// Shared Signals Framework, where the person is `user`. Drafts, which Google implements, call it `subject`.
    ///
    /// - Parameters:
    ///   - issuers: The issuers whose subjects are identities of this provider.
    ///   - openIDConnect: Makes the subject.
    /// - Returns: The person; `nil` if the event names none by issuer and subject.
    /// - Throws: `JOSEError.issuerMismatch` for a subject of another issuer.
    func subject(of claims: Claims, issuers: [String], with openIDConnect: OpenIDConnect) throws -> Subject? {
        guard let identifier = claims["sub_id"] ?? content["sub_id"] ?? content["subject"] else {
            return openIDConnect.subject(of: claims)
        }
        let person = identifier["user"] ?? identifier
        guard let issuer = person["iss"]?.string, let subject = person["sub"]?.string else { return nil }
        guard issuers.containsExactly(issuer) else { throw JOSEError.issuerMismatch(expected: issuers) }
        return openIDConnect.subject(subject, of: claims)
    }
}

extension EventMessage {
    fileprivate var tokenType: TokenType {
        switch self {
        case .logoutToken: .logoutToken
        case .securityEvent: .securityEvent
        case .notification: .jwt
        }
    }

    /// The name of the token in texts for developers.
    fileprivate var tokenName: String {
        switch self {
        case .logoutToken: "logout token"
        case .securityEvent: "security event token"
        case .notification: "JWT of the notification"
        }
    }
}

extension JOSEError {
    /// The refusal of a message about an event, with the reason that an ID token would have.
    fileprivate func refusal(of message: EventMessage, cause: any Error) -> Refusal {
        let name = message.tokenName
        let description =
            switch self {
            case .typeNotAllowed: "The typ of the \(name) is that of another kind of token. Send a \(name)."
            case .missingClaim("events"), .malformedClaim("events"):
                message == .logoutToken
                    ? "The token has no events with the member for back-channel logout, so it is no logout token."
                    : "The token has no events in the form of its specification, so it is no \(name)."
            case .forbiddenClaim("nonce"): "The token has a nonce, which a logout token must not have."
            case .missingClaim("jti"), .malformedClaim("jti"):
                "The \(name) has no jti. Send each one with an id of its own."
            case .missingClaim("sub"): "The logout token has neither sub nor sid. Send one with the sub of the person."
            case .missingClaim("iat"): "The \(name) has no iat. Send one with the time at which it was issued."
            case .missingClaim("exp"): "The \(name) has no exp. Send one that expires, such as two minutes after iat."
            default:
                switch refusal.reason {
                case .issuerMismatch:
                    "The \(name), or the subject in it, is of another issuer than that of the provider in the path."
                case .audienceMismatch:
                    "The \(name) is for another client. Send one whose aud is a client id of this deployment."
                case .signatureInvalid: "The signature of the \(name) is not valid. Send it as the provider issued it."
                case .unknownKey: "The provider does not publish the key of this \(name)."
                case .algorithmNotAllowed:
                    "The \(name) is signed with an algorithm that is not allowed for this provider."
                case .expired: "The \(name) has expired. Send it sooner, and check the clocks of both servers."
                case .notYetValid: "The \(name) is not valid yet. Send it later, and check the clocks of both servers."
                case .tooOld: "The \(name) is too old. Send it sooner, and check the clocks of both servers."
                case .lifetimeTooLong:
                    "The lifetime of the \(name) is longer than max_lifetime of the provider in the configuration allows."
                default: "The \(name) is malformed, or lacks a required claim. Send it as the provider issued it."
                }
            }
        let finding =
            switch self {
            case .issuerMismatch(let expected):
                "iss of the token, or of the subject in it, is not \(expected.joined(separator: " or "))"
            default: sentence
            }
        return Refusal(refusal.reason, description, finding: finding, cause: cause)
    }
}

extension Refusal {
    /// The configuration of the provider does not accept such messages.
    package static func eventsDisabled(_ message: EventMessage) -> Refusal {
        Refusal(
            .providerDisabled,
            "Messages of this kind are not accepted from this provider. Add \(message.rawValue) to events of the provider in the "
                + "configuration.")
    }

    /// The logout token names a session of the provider and not its person.
    fileprivate static let sessionOnly = Refusal(
        .unsupportedCredential,
        "The logout token names only a session (sid), and this server keeps no sessions of the provider. Let the provider "
            + "send sub in its logout tokens.",
        finding: "the logout token has sid and no sub; let the provider send sub, too")
}
