import Server
import Testing

@Suite("Language of the pages")
struct PageLanguageTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let accept: String?
        let locales: String?
        let expected: PageLanguage

        init(_ accept: String?, _ locales: String?, _ expected: PageLanguage) {
            self.accept = accept
            self.locales = locales
            self.expected = expected
        }

        var testDescription: String { "\(accept ?? "-") / \(locales ?? "-")" }
    }

    @Test(
        "Every language is found by its tag, with or without a region",
        arguments: zip(PageLanguage.allCases, ["en", "hi", "bn", "fa", "de", "fr", "es", "pt", "id", "ar", "ja"]))
    func tags(_ language: PageLanguage, _ tag: String) {
        for tag in [tag, "\(tag)-XX"] {
            #expect(PageLanguage.preferred(acceptLanguage: tag, uiLocales: nil) == language)
            #expect(PageLanguage.preferred(acceptLanguage: "sv", uiLocales: tag) == language)
        }
    }

    @Test(
        "The accepted languages are compared by weight and then by order",
        arguments: [
            Case("fa", nil, .persian), Case("hi", nil, .hindi), Case("bn", nil, .bengali), Case("en", nil, .english),
            Case("fa-IR", nil, .persian), Case("FA-ir", nil, .persian), Case("bn-Beng-BD", nil, .bengali),
            Case("sv-SE,sv;q=0.9,hi;q=0.8,en;q=0.7", nil, .hindi),
            Case("en;q=0.4, fa;q=0.5", nil, .persian), Case("en;q=0.499, fa;q=0.5", nil, .persian),
            Case("hi;q=0.5,bn;q=0.5", nil, .hindi), Case("bn ; q=0.3 ,\thi ; Q=0.31", nil, .hindi),
            // Names of locales of POSIX and Java.
            Case("fr_FR.UTF-8,de-formal;q=0.9", nil, .french), Case("pt_BR", nil, .portuguese),
            Case("es-419,es;q=0.8", nil, .spanish), Case("sv", "de_DE hi", .german),
            Case("fa;q=0.001", nil, .persian), Case("fa;q=1.000,hi", nil, .persian),
        ])
    func weights(_ example: Case) {
        #expect(
            PageLanguage.preferred(acceptLanguage: example.accept, uiLocales: example.locales) == example.expected)
    }

    @Test("Only the first 32 elements of a field count", arguments: [31, 32])
    func count(before: Int) {
        let others = Array(repeating: "sv", count: before)
        let expected = before < 32 ? PageLanguage.persian : .english
        let accept = (others + ["fa"] + others).joined(separator: ",")
        #expect(PageLanguage.preferred(acceptLanguage: accept, uiLocales: nil) == expected)
        // RFC 9110 §5.6.1.2: empty elements are ignored.
        #expect(PageLanguage.preferred(acceptLanguage: accept.replacing(",", with: ",,"), uiLocales: nil) == expected)
        let locales = (others + ["fa"] + others).joined(separator: " ")
        #expect(PageLanguage.preferred(acceptLanguage: nil, uiLocales: locales) == expected)
    }

    @Test(
        "Unsupported, unacceptable and malformed languages lead to English",
        arguments: [
            Case(nil, nil, .english), Case("", nil, .english), Case("sv,it;q=0.5", nil, .english),
            Case("fa;q=0", nil, .english),
            Case("fa;q=0.000", nil, .english), Case("fa-IR,fa;q=0", nil, .english), Case("fa;q=1.5", nil, .english),
            Case("fa;q=1.001", nil, .english),
            Case("fa;q=0.1234", nil, .english), Case("fa;q=-1", nil, .english), Case("fa;q=", nil, .english),
            Case("fa;q", nil, .english),
            Case("fa;q=2", nil, .english), Case("fa;q=.5", nil, .english), Case("fa;level=1;q=1", nil, .english),
            Case("fa;v=1", nil, .english), Case("fas", nil, .english), Case("-fa-", nil, .persian),
            Case(",;,-,;q=1", nil, .english),
            Case("fa\u{301};q=1", nil, .english), Case("*;q=0", nil, .english),
        ])
    func leftovers(_ example: Case) {
        #expect(
            PageLanguage.preferred(acceptLanguage: example.accept, uiLocales: example.locales) == example.expected)
    }

    @Test(
        "An asterisk matches every language that no other range names",
        arguments: [
            Case("*", nil, .english), Case("sv,*;q=0.5", nil, .english), Case("*;q=0.5,fa;q=0.4", nil, .english),
            Case("*;q=0.4,fa;q=0.5", nil, .persian), Case("en;q=0,*", nil, .hindi),
            Case("en;q=0.2,*;q=0.5", nil, .hindi),
            Case("fa;q=0.5,*;q=0", nil, .persian), Case("en-GB;q=0,en;q=0.5", nil, .english),
        ])
    func asterisk(_ example: Case) {
        #expect(
            PageLanguage.preferred(acceptLanguage: example.accept, uiLocales: example.locales) == example.expected)
    }

    @Test("The language that the person has chosen takes precedence, if there is such a language")
    func chosen() {
        func language(_ chosen: String?) -> PageLanguage {
            .preferred(acceptLanguage: "hi", uiLocales: "fa", chosen: chosen)
        }
        #expect(language("de") == .german)
        for other in [nil, "", "sv", "DE", "de-DE", "de\u{301}"] { #expect(language(other) == .persian) }
    }

    @Test(
        "The ui_locales of the application take precedence, in their order",
        arguments: [
            Case("hi", "fa", .persian), Case("hi", "sv-FI bn-IN fa", .bengali), Case("hi", "sv", .hindi),
            Case(nil, "fa", .persian), Case("hi", "", .hindi), Case("hi", "  ", .hindi), Case("fa", "en", .english),
        ])
    func uiLocales(_ example: Case) {
        #expect(
            PageLanguage.preferred(acceptLanguage: example.accept, uiLocales: example.locales) == example.expected)
    }
}
