internal import Flows
internal import Pages

extension SignInPurpose {
    init(_ purpose: AccountIntent.Purpose?) {
        self =
            switch purpose {
            case nil: .signIn
            case .link: .link
            case .reauthenticate: .reauthenticate
            }
    }
}
