/// What the provider would have had to show a page for, where `prompt=none` forbade it (OpenID Connect Core §3.1.2.6).
package enum UnmetInteraction: String, Sendable {
    case login = "login_required"
    case accountSelection = "account_selection_required"
    case consent = "consent_required"
    case interaction = "interaction_required"
}
