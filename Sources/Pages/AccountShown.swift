/// The account that a flow will open, as a page names it.
package enum AccountShown: Sendable, Equatable {
    /// By the address or the name that a provider shows; the provider is nil if none is known.
    case person(String, provider: String?)
    /// A guest account of the application, with the last six characters of its uid.
    case guest(uidEnd: String)
    /// An account of which nothing else can be shown.
    case unnamed(provider: String?, uidEnd: String)
}
