extension Settings {
    /// What a client may ask of `POST /token`.
    package enum Grant: String, Sendable, CaseIterable {
        /// The code of a finished browser flow.
        case authorizationCode = "authorization_code"
        /// RFC 8693.
        case tokenExchange = "token_exchange"
        /// RFC 8628.
        case deviceCode = "device_code"
    }
}
