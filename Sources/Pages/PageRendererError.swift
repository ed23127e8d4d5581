/// Why there are no pages.
package enum PageRendererError: Error, Equatable, Sendable {
    /// A template or text of ours does not parse.
    case brokenTemplate(name: String)
}
