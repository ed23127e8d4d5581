internal import Stores

extension AccountRefusal {
    var sentence: String {
        switch self {
        case .disabled: "the account is disabled; enable it first"
        case .secondFactorEnrolled: "the account has a second factor, which a custom token would pass by"
        }
    }
}
