internal import Flows

extension Reason {
    init(_ interaction: UnmetInteraction) {
        self =
            switch interaction {
            case .login: .loginRequired
            case .accountSelection: .accountSelectionRequired
            case .consent: .consentRequired
            case .interaction: .interactionRequired
            }
    }
}
