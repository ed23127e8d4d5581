internal import Accounts
internal import Providers
internal import Verification

extension Corridor {
    /// The identity with its whole profile, if that can be had, or if it is known already.
    ///
    /// An account that is made without the address of its person is never found by that address again. So an identity
    /// that has no account yet waits until a failure of the provider has passed.
    func withProfile(
        _ identity: VerifiedIdentity, at provider: Provider
    ) async throws(SignInError) -> VerifiedIdentity {
        if let refusal = identity.profileRefusal { onProfileRefusal(provider.id, refusal) }
        guard !identity.isProfileWhole else { return identity }
        if provider.profileRule == .firstSignIn, try await isKnown(identity) { return identity }
        do {
            let whole = try await verifier.completed(identity)
            if let refusal = whole.profileRefusal { onProfileRefusal(provider.id, refusal) }
            return whole
        } catch .provider(let failure, _) where failure.isPassing {
            // With the other rule the answer was no, a moment ago.
            if provider.profileRule == .always, try await isKnown(identity) { return identity }
            let isGivenBack = failure.leavesCredentialUnspent ? await giveBack(identity.returnable) : false
            throw .verification(.provider(failure, givenBack: isGivenBack))
        } catch {
            throw .verification(error)
        }
    }

    private func isKnown(_ identity: VerifiedIdentity) async throws(SignInError) -> Bool {
        do {
            return try await linker.holder(of: identity) != nil
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten ? await giveBack(identity.returnable) : false)
        }
    }
}
