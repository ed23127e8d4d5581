internal import Pages
internal import SignIn

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
