package import Standards

// Suites write identifiers as literals.

extension ClientID: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self.init(text) }
}

extension ProviderID: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self.init(text) }
}

extension Subject: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self = text.identifier(Self.init) }
}

extension UID: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self = text.identifier(Self.init) }
}

extension String {
    /// Traps for a text that is not an identifier.
    fileprivate func identifier<Identifier>(_ make: (String) -> Identifier?) -> Identifier {
        guard let identifier = make(self) else {
            preconditionFailure("\(debugDescription) is not a \(Identifier.self)")
        }
        return identifier
    }
}
