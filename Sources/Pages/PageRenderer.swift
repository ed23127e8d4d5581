internal import Mustache
internal import OAuth
internal import OpenSSL

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

extension PageRenderer {
    /// The value of the field `Content-Security-Policy` that goes with the page.
    package func contentSecurityPolicy(for page: Page) -> String {
        let fixed = "default-src 'none'; \(Self.styleSource); base-uri 'none'; frame-ancestors 'none'"
        guard let formAction = page.formAction else { return fixed }
        return fixed + "; form-action " + formAction
    }

    private static let styleSource = "style-src 'sha256-\(Base64.encode(SHA256.hash(Array(PageStyle.text.utf8))))'"
}

extension Page {
    /// Where the page's form may lead, or nil where nothing can be said.
    fileprivate var formAction: String? {
        switch self {
        // Chromium applies form-action to the redirects that follow a form as well, and these forms end at a provider,
        // from there at any application.
        case .signIn, .confirmDevice: nil
        case .enterCode, .approveDevice: "'self'"
        case .deviceApproved, .deviceRefused, .problem: "'none'"
        }
    }
}

/// Why there are no pages.
package enum PageRendererError: Error, Equatable, Sendable {
    /// A template or text of ours does not parse.
    case brokenTemplate(name: String)
}
