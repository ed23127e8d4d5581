extension ClaimsExpectation {
    /// There is a subject, and it can be written down.
    ///
    /// OpenID Connect Core 1.0 §2: sub "MUST NOT exceed 255 ASCII characters in length." Counted in bytes here; control
    /// characters, and nothing but white space, are no name for anybody.
    func checkSubject(of claims: Claims) throws(JOSEError) {
        let subject = try claims.requiredText("sub")
        guard (1...255).contains(subject.utf8.count), !subject.hasControlCharacter, !subject.isBlank else {
            throw .malformedClaim("sub")
        }
    }
}
