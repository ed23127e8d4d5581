extension TokenDraft {
    /// `iat`, in seconds since 1970.
    var issuedAt: Int64 {
        guard case .number(let seconds)? = claims["iat"] else { return 0 }
        return seconds
    }
}
