extension ClaimsExpectation {
    /// There is a subject, and it can be written down.
    ///
    /// A subject has no control characters, and does not consist of white space only.
    func checkSubject(of claims: Claims) throws(JOSEError) {
        let subject = try claims.requiredText("sub")
        guard subjectLimit.allows(subject), !subject.hasControlCharacter, !subject.isBlank else {
            throw .malformedClaim("sub")
        }
    }
}
