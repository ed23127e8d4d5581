internal import Stores

extension StoreError {
    /// The code, and what an operator may do about it.
    var advice: String {
        switch self {
        case .tablesBehind: "\(code); run token-exchange migrate, with a role that may make tables"
        case .newerSchema: "\(code); a later version of token-exchange has been here, use that"
        case .unavailable(.cannotOpen): "\(code); is it there, and may this user open it? serve or migrate make it"
        case .outcomeUnknown: "\(code); look whether it was done before you repeat it"
        default: code
        }
    }
}
