extension Settings {
    /// `limits`: how often one address may call.
    package struct Limits: Sendable, Equatable {
        /// `POST /v1/exchange` and `POST /token`, for each address; `nil` where it is off.
        package let exchangePerAddress: Rate?
        /// Whatever begins a sign-in, for each address; `nil` where it is off.
        package let startPerAddress: Rate?
        /// `GET /device`, `GET /callback/{provider}` and documents, for each address; `nil` if it is off.
        package let pagePerAddress: Rate?
        /// `POST /v1/anonymous`, for each address; `nil` where it is off.
        package let anonymousPerAddress: Rate?
        /// Wrong user codes of an address: so many at once, and as many again over ten minutes.
        package let deviceCodeTries: Int
    }
}

extension Settings.Limits {
    static let keys = [
        "exchange_per_address", "start_per_address", "page_per_address", "anonymous_per_address", "device_code_tries",
    ]

    static func read(_ section: Section) -> Self {
        Self(
            exchangePerAddress: rate(section, "exchange_per_address", 60),
            startPerAddress: rate(section, "start_per_address", 60),
            pagePerAddress: rate(section, "page_per_address", 120),
            anonymousPerAddress: rate(section, "anonymous_per_address", 10),
            deviceCodeTries: section["device_code_tries"]?.integer(in: 1...100) ?? 5)
    }

    private static func rate(_ section: Section, _ key: String, _ perMinute: Int) -> Rate? {
        section[key]?.rateOrOff() ?? Rate(count: perMinute, unit: .minute)
    }
}
