internal import OAuth
internal import OpenSSL

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
