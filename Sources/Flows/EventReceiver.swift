internal import Accounts
package import Providers
package import Standards
internal import Stores
internal import Verification

/// Events that providers tell of without being asked, such as a logout, which end Firebase sessions here.
package struct EventReceiver: Sendable {
    let registrations: Registrations
    let verifier: Verifier
    let linker: AccountLinker
    let sessions: FirebaseSessions
    let singleUse: SingleUse
    /// The tenants of this deployment; the element `nil` means users outside any tenant.
    let tenants: [String?]

    /// Verifies a message of a provider, and ends the Firebase sessions of the person whom its event is about.
    ///
    /// The outcome for a person without an account is like that for any other one, so that the response does not tell who
    /// has one. No account is changed or deleted.
    ///
    /// - Parameters:
    ///   - token: The logout token, the security event token or the JWT of the notification.
    ///   - message: The form in which it came.
    /// - Throws: The refusal of the message, or of the store or Firebase. After one of the store or Firebase, the same message
    ///   may be sent again.
    package func receive(
        _ token: Secret, as message: EventMessage, from id: ProviderID
    ) async throws -> EventOutcome {
        let provider = try registrations.provider(id)
        guard let openIDConnect = provider.openIDConnect else { throw Refusal.eventsDisabled(message) }
        let event = try await verifier.verify(token, as: message, with: openIDConnect, of: provider)
        try await singleUse.requireUnspent(event.record)
        do {
            // Ending sessions twice does no harm. If the record came first, a message that the provider repeats during
            // the effect, or after a crash before it, would be refused as replayed, and its event lost.
            let outcome = try await endSessions(by: event)
            do {
                try await singleUse.spend([event.record])
            } catch let refusal as Refusal where refusal.reason == .replayed {
                // The same message came twice at once, and both have ended the sessions.
            }
            return outcome
        } catch {
            throw Refusal(error).unspent
        }
    }

    /// Ends the sessions of the person in each tenant; a failure in one does not prevent the end in the others.
    private func endSessions(by event: VerifiedEvent) async throws -> EventOutcome {
        var outcome = EventOutcome(provider: event.provider, kind: event.kind)
        guard event.kind.endsSessions else { return outcome }
        var failure: (any Error)?
        for tenantID in tenants {
            do {
                guard let account = try await linker.holder(of: event, in: tenantID) else { continue }
                outcome.uid = account.uid
                AuditJournal.note(account.uid, event.provider)
                if try await !sessions.end(of: account.uid, tenantID: tenantID) { outcome.keepsSessions = true }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return outcome
    }
}

package struct EventOutcome: AuditedOutcome, Equatable {
    package let provider: ProviderID
    package let kind: EventKind
    /// The account of the person; `nil` if there is none, or if the event ends no session.
    package internal(set) var uid: UID?
    /// Whether sessions continue because the service account may not end them.
    package internal(set) var keepsSessions = false

    package var auditFact: AuditFact {
        var fact = AuditFact(.event)
        fact.provider = provider
        fact.uid = uid
        fact.event = kind
        return fact
    }
}
