extension TimeExpectation {
    /// The token's time has begun, if it says when.
    ///
    /// RFC 7519 §4.1.5: "the current date/time MUST be after or equal to the not-before date/time listed in the "nbf"
    /// claim."
    func checkNotBefore(of claims: Claims, at now: NumericDate) throws(JOSEError) {
        guard let start = try claims.date("nbf") else { return }
        guard start <= now + clockSkew else { throw .notYetValid(before: start, now: now) }
    }
}
