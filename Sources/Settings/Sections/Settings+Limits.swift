extension Settings {
    /// `limits`: how often one address may call.
    package struct Limits: Sendable, Equatable {
        /// `POST /v1/exchange`, for each address; `nil` where it is off.
        package let exchangePerAddress: Rate?
    }
}

extension Settings.Limits {
    static let keys = ["exchange_per_address", "start_per_address", "device_code_tries"]

    static func read(_ section: Section) -> Self {
        section.refuseUnsupported("start_per_address", unless: .word("60/min"))
        section.refuseUnsupported("device_code_tries", unless: .word("5"))
        guard let rate = section["exchange_per_address"]?.rateOrOff() else {
            return Self(exchangePerAddress: Rate(count: 60, unit: .minute))
        }
        return Self(exchangePerAddress: rate)
    }
}
