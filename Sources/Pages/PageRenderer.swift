internal import Mustache

/// Pages for people, in their language.
///
/// A page has no script, no image and nothing from another address; its style stands in the document and is allowed by
/// its hash.
package struct PageRenderer: Sendable {
    private let libraries: [PageLanguage: MustacheLibrary]

    /// Parses all templates once.
    ///
    /// - Throws: ``PageRendererError/brokenTemplate(name:)``.
    package init() throws(PageRendererError) {
        let templates = try Self.parse(Template.all)
        var libraries: [PageLanguage: MustacheLibrary] = [:]
        for language in PageLanguage.allCases {
            let sentences = try Self.parse(PageTexts.of(language).sentences)
            libraries[language] = MustacheLibrary(templates: templates.merging(sentences, uniquingKeysWith: { $1 }))
        }
        self.libraries = libraries
    }

    private static func parse(_ texts: [String: String]) throws(PageRendererError) -> [String: MustacheTemplate] {
        var templates: [String: MustacheTemplate] = [:]
        for (name, text) in texts {
            do {
                templates[name] = try MustacheTemplate(string: text)
            } catch {
                throw .brokenTemplate(name: name)
            }
        }
        return templates
    }

    /// The whole document, to be sent as `text/html; charset=utf-8`.
    package func html(_ page: Page, in language: PageLanguage) -> String {
        let values = page.values(in: language).merging(
            ["language": language.rawValue, "direction": language.direction], uniquingKeysWith: { $1 })
        guard let html = libraries[language]?.render(values, withTemplate: page.template) else {
            preconditionFailure("init registered every template in every language")
        }
        return html
    }
}
