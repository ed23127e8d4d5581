extension Sequence<String> {
    /// `true` if one of the texts has the same UTF-8 octets.
    ///
    /// `contains` takes canonically equivalent texts for one: a KELVIN SIGN for the letter K. Scopes, parameters,
    /// origins and other names of the protocols are sequences of octets.
    package func containsExactly(_ text: String) -> Bool {
        contains { $0.utf8.elementsEqual(text.utf8) }
    }
}
