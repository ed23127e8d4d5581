internal import Flows
internal import Pages

extension AccountShown {
    /// - Parameter account: With the name of its provider.
    init(_ account: (name: AccountName, provider: String?)) {
        self =
            if account.name.isGuest {
                .guest(uidEnd: account.name.uidEnd)
            } else if let person = account.name.person {
                .person(person, provider: account.provider)
            } else {
                .unnamed(provider: account.provider, uidEnd: account.name.uidEnd)
            }
    }
}
