/// One way to continue: a button.
package struct ProviderChoice: Sendable, Equatable {
    /// What the button sends, such as `yahoo.com`.
    package let id: String
    /// What the button says, such as `Yahoo`; never a logo.
    package let name: String

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
