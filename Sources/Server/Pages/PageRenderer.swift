internal import Mustache
internal import OpenSSL
internal import Standards

/// Renders pages in the user's language.
///
/// A page contains nothing from another origin, and its only image is the logo of the application. Its styles are part of
/// the document, and the content security policy allows them by their hashes. Only the pages that carry a response to an
/// application have a script (``ResponseScripts``).
package struct PageRenderer: Sendable {
    private let libraries: [PageLanguage: MustacheLibrary]

    /// Creates a renderer and parses all templates.
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

    /// The complete document, to be sent as `text/html; charset=utf-8`.
    ///
    /// - Parameter branding: What it shows of the company; `nil` if the application is unknown.
    package func html(_ page: Page, in language: PageLanguage, branding: PageBranding? = nil) -> String {
        var values = page.values(in: language).merging(branding?.values ?? [:], uniquingKeysWith: { first, _ in first })
        values["language"] = language.rawValue
        values["direction"] = language.direction
        values["languageName"] = language.ownName
        values["languages"] = PageLanguage.allCases.filter { $0 != language }.map(\.values)
        values["switchesLanguage"] = page.switchesLanguage
        values["hasFooter"] = page.switchesLanguage || page.hasNote || branding?.hasLinks == true
        values["accentStyle"] = branding?.accent?.style
        guard let html = libraries[language]?.render(values, withTemplate: page.template) else {
            preconditionFailure("init registered every template in every language")
        }
        return html
    }
}

extension PageRenderer {
    /// The value of the header field `Content-Security-Policy` for a page.
    ///
    /// - Parameter branding: The same as in ``html(_:in:branding:)``: the policy allows its colours and its logo.
    package func contentSecurityPolicy(for page: Page, branding: PageBranding? = nil) -> String {
        let script = page.script.map { " script-src \(Self.hashSource($0));" } ?? ""
        let styles = Self.styleSource + (branding?.accent.map { " " + Self.hashSource($0.style) } ?? "")
        let images = branding?.logo == nil ? "" : " img-src 'self';"
        let fixed =
            "default-src 'none';\(script) style-src \(styles);\(images) base-uri 'none'; frame-ancestors 'none'"
        guard let formAction = page.formAction else { return fixed }
        return fixed + "; form-action " + formAction
    }

    private static let styleSource = hashSource(PageStyle.text)

    /// Returns the source expression of an inline element with this text (CSP Level 3 §2.3.1).
    private static func hashSource(_ text: String) -> String {
        "'sha256-\(Base64.encode(SHA256.hash(Array(text.utf8))))'"
    }
}

extension Page {
    /// The allowed targets of the page's form; `nil` if they cannot be restricted.
    fileprivate var formAction: String? {
        switch self {
        // Chromium also applies form-action to the redirects after a form. These forms lead to a provider, and from
        // there to any application.
        case .signIn, .confirmDevice, .settleConflict, .secondFactor: nil
        case .enterCode, .approveDevice: "'self'"
        // Chromium also applies it to the redirects of the application, which therefore must stay at its origin.
        case .formPost(_, let origin, _): VisibleASCII.only(origin)
        case .deviceApproved, .deviceRefused, .webMessage, .home, .problem: "'none'"
        }
    }

    fileprivate var script: String? {
        switch self {
        case .formPost: ResponseScripts.formPost
        case .webMessage: ResponseScripts.webMessage
        default: nil
        }
    }
}

/// The reason why a renderer cannot be created.
package enum PageRendererError: Error, Equatable, Sendable {
    /// A built-in template or text cannot be parsed.
    case brokenTemplate(name: String)
}
