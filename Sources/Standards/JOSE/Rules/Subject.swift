extension ClaimsExpectation {
    /// There is a subject, and it can be written down.
    ///
    /// Control characters, and nothing but white space, are no name for anybody.
    func checkSubject(of claims: Claims) throws(JOSEError) {
        let subject = try claims.requiredText("sub")
        guard subjectLimit.allows(subject), !subject.hasControlCharacter, !subject.isBlank else {
            throw .malformedClaim("sub")
        }
    }
}
