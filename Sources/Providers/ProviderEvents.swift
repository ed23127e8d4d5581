/// What a provider tells about its users without being asked, as data.
///
/// The configuration says which of its messages this server accepts.
package struct ProviderEvents: Sendable, Equatable {
    /// The kinds of messages that the provider can send, and what they contain.
    package let sources: [EventMessage: EventSource]

    package init(_ sources: [EventMessage: EventSource]) {
        self.sources = sources
    }
}

/// The form of a message about an event; the raw value is that of the configuration.
package enum EventMessage: String, Sendable, CaseIterable {
    /// A logout token in the form parameter `logout_token` (OpenID Connect Back-Channel Logout 1.0 §2.5).
    case logoutToken = "logout_token"
    /// A security event token (RFC 8417), which is the whole body (RFC 8935 §2.1).
    case securityEvent = "security_event"
    /// A JWT in the member `payload` of a JSON object, with one event in its claim `events`, as Apple sends it.
    case notification
}

/// The content of one kind of message of a provider.
package struct EventSource: Sendable, Equatable {
    /// The accepted values of `iss`; `nil` if they are those of ID tokens.
    package var issuers: [String]?
    /// The key set that verifies the messages; `nil` if it is that of ID tokens.
    package var keys: String?
    /// The names of events.
    ///
    /// Any other one is ``EventKind/other``.
    package let kinds: [String: EventKind]
}

/// What happened to an identity at its provider; the raw value is that of the audit trail.
///
/// A later case is the more serious one.
package enum EventKind: String, Sendable, CaseIterable {
    /// Nothing that ends a session here, such as a changed e-mail address.
    case other
    case sessionEnded = "session_ended"
    /// The person, or the provider, has withdrawn what this deployment was allowed.
    case consentRevoked = "consent_revoked"
    case accountDisabled = "account_disabled"
    case accountDeleted = "account_deleted"

    package var endsSessions: Bool { self != .other }
}

extension EventKind: Comparable {
    package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension ProviderEvents {
    /// The event of a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4).
    package static let logout = "http://schemas.openid.net/event/backchannel-logout"

    private static let event = "https://schemas.openid.net/secevent/"

    /// The events of the Shared Signals Framework, and those of its drafts that providers send.
    ///
    /// - SeeAlso: OpenID RISC Profile 1.0 §2, <https://openid.net/specs/openid-risc-1_0-final.html>; OpenID CAEP 1.0 §3.1,
    ///   <https://openid.net/specs/openid-caep-1_0-final.html>
    private static let sharedSignals: [String: EventKind] = [
        event + "caep/event-type/session-revoked": .sessionEnded,
        event + "risc/event-type/sessions-revoked": .sessionEnded,
        event + "oauth/event-type/tokens-revoked": .consentRevoked,
        event + "risc/event-type/account-disabled": .accountDisabled,
        event + "risc/event-type/account-purged": .accountDeleted,
    ]

    /// A provider that documents no events.
    package static let none = ProviderEvents([:])

    /// What the standards define, for every OpenID Provider without data of its own.
    package static let standard = ProviderEvents([
        .logoutToken: EventSource(kinds: [logout: .sessionEnded]),
        .securityEvent: EventSource(kinds: sharedSignals),
    ])

    /// Google's Cross-Account Protection, as its pages described it in 2026.
    ///
    /// The page writes the issuer with a slash at its end; receivers also saw that of ID tokens, which has none.
    /// `token-revoked` names a refresh token and no person, so that it has no effect.
    ///
    /// - SeeAlso: <https://developers.google.com/identity/protocols/risc>,
    ///   <https://accounts.google.com/.well-known/risc-configuration>
    package static let google = ProviderEvents([
        .securityEvent: EventSource(
            issuers: ["https://accounts.google.com/", "https://accounts.google.com"],
            keys: "https://www.googleapis.com/oauth2/v3/certs",
            kinds: sharedSignals)
    ])

    /// Sign in with Apple, as its pages described it in 2026.
    ///
    /// Issuer and keys are those of ID tokens.
    /// Apple's page names the last event `account-deleted`; servers were seen to receive `account-delete`. The events
    /// `email-disabled` and `email-enabled` concern the forwarding of mail.
    ///
    /// - SeeAlso: <https://developer.apple.com/documentation/signinwithapple/processing-changes-for-sign-in-with-apple-accounts>
    package static let apple = ProviderEvents([
        .notification: EventSource(kinds: [
            "consent-revoked": .consentRevoked, "account-delete": .accountDeleted, "account-deleted": .accountDeleted,
        ])
    ])
}
