/// Why the provider has to show a page before it answers with a code (OpenID Connect Core §3.1.2.6).
///
/// A provider may only answer so to a request with `prompt=none`; some do without.
package enum UnmetInteraction: String, Sendable {
    case login = "login_required"
    case accountSelection = "account_selection_required"
    case consent = "consent_required"
    case interaction = "interaction_required"
}
