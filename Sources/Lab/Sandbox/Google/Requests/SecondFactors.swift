import Jansson

/// `enrollments` of `accounts:update`, and `mfaInfo` of a user who is created.
enum SecondFactors {
    /// As they are kept: each with an id, and with a telephone number or `totpInfo`.
    static func read(_ inputs: [ControlInput]) throws(ControlError) -> [JSON] {
        var factors: [JSON] = []
        for (index, input) in inputs.enumerated() {
            var input = input
            var factor: [String: JSON] = [
                "mfaEnrollmentId": .string(try input.string("mfaEnrollmentId") ?? "factor-\(index + 1)")
            ]
            factor["displayName"] = try input.string("displayName").map { .string($0) }
            factor["enrolledAt"] = try input.string("enrolledAt").map { .string($0) }
            let number = try input.string("phoneInfo")
            let oneTimeCodes = try input.input("totpInfo")
            switch (number, oneTimeCodes) {
            case (let number?, nil) where ProfileChange.isPhoneNumber(number): factor["phoneInfo"] = .string(number)
            case (nil, .some): factor["totpInfo"] = .object([:])
            default: throw .invalid(member: "phoneInfo", expected: "a telephone number, or totpInfo")
            }
            try input.finish()
            factors.append(.object(factor))
        }
        return factors
    }
}
