/// Why an entry of a file does not become an account.
enum ImportFault: Error, Equatable {
    /// A member is missing, or is not what it should be.
    case member(String)
    /// Firebase takes 1 to 128 characters.
    case uidLength
    case twoIdentities(provider: String)
    /// A custom token would pass by it.
    case secondFactor

    var message: String {
        switch self {
        case .member(let name): "\(name) is missing, or not what it should be"
        case .uidLength: "the uid does not have 1 to 128 characters"
        case .twoIdentities(let provider): "has two identities of \(VisibleText.of(provider))"
        case .secondFactor: "has a second factor, which a custom token would pass by"
        }
    }
}
