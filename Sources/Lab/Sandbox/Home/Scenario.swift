/// The sign-ins and attacks that the home page offers.
///
/// The raw value is the name in the form.
enum Scenario: String, Sendable, CaseIterable {
    case browserYahoo = "browser-yahoo"
    case browserX = "browser-x"
    case browserXOAuth1 = "browser-x-oauth1"
    case browserFormPost = "browser-form-post"
    case browserPopUp = "browser-pop-up"
    /// The form also names the provider, a ``DocumentedProvider``.
    case browserProvider = "browser-provider"
    case redirectYahoo = "redirect-yahoo"
    case redirectX = "redirect-x"
    case redirectXOAuth1 = "redirect-x-oauth1"
    case libraryYahoo = "library-yahoo"
    case libraryYahooTokenExchange = "library-yahoo-rfc8693"
    case libraryX = "library-x"
    case device
    case conflict
    case secondFactor = "second-factor"
    case guest
    case signOut = "sign-out"
    case otherApplication = "attack-other-application"
    case otherConsumer = "attack-other-consumer"
    case bareAccessToken = "attack-access-token"
    case alteredClaims = "attack-altered"
    case unsigned = "attack-unsigned"
    case console

    enum Card: Sendable, CaseIterable {
        case browser, provider, redirect, library, device, account, attack, console
    }

    var card: Card {
        switch self {
        case .browserYahoo, .browserX, .browserXOAuth1, .browserFormPost, .browserPopUp: .browser
        case .browserProvider: .provider
        case .redirectYahoo, .redirectX, .redirectXOAuth1: .redirect
        case .libraryYahoo, .libraryYahooTokenExchange, .libraryX: .library
        case .device: .device
        case .conflict, .secondFactor, .guest, .signOut: .account
        case .otherApplication, .otherConsumer, .bareAccessToken, .alteredClaims, .unsigned: .attack
        case .console: .console
        }
    }

    /// The text of the button.
    var label: String {
        switch self {
        case .browserYahoo, .redirectYahoo: "Sign in with Yahoo"
        case .browserX, .redirectX: "Sign in with X"
        case .browserXOAuth1, .redirectXOAuth1: "Sign in with X (OAuth 1.0a)"
        case .browserFormPost: "Sign in with Yahoo (form_post)"
        case .browserPopUp: "Sign in with Yahoo in a pop-up window"
        case .browserProvider: "Sign in with another provider"
        case .libraryYahoo: "Send Yahoo’s ID token"
        case .libraryYahooTokenExchange: "Send Yahoo’s ID token by RFC 8693"
        case .libraryX: "Send X’s token pair"
        case .device: "Sign in on a television"
        case .conflict: "Sign in with another provider than before"
        case .secondFactor: "Sign in with a second factor"
        case .guest: "From a guest to a user: link, merge, unlink, delete"
        case .signOut: "Sign out everywhere"
        case .otherApplication: "An ID token of another application"
        case .otherConsumer: "X’s token pair of another application"
        case .bareAccessToken: "A bare access token"
        case .alteredClaims: "An ID token changed to contain Alice’s id"
        case .unsigned: "An ID token with alg none"
        case .console: "Requests of the console"
        }
    }

    /// The title of the run's page.
    var title: String {
        switch card {
        case .browser, .provider: label + ", in the browser"
        case .redirect: label + ", with the application’s own redirect"
        case .library: label + ", from the provider’s own library"
        case .device, .account, .console: label
        case .attack: "Attack: " + label
        }
    }

    var provider: String {
        switch self {
        case .browserX, .browserXOAuth1, .redirectX, .redirectXOAuth1, .libraryX, .otherConsumer, .conflict:
            "twitter.com"
        default: "yahoo.com"
        }
    }

    /// The person of the scenario, whom the consent pages select at first.
    var user: SandboxUser {
        switch self {
        case .conflict: .dana
        case .secondFactor: .erin
        case .guest: .frida
        case .signOut: .bjorn
        default: .alice
        }
    }

    /// The parameter `flow`; `nil` for the provider's default.
    var flow: String? {
        switch self {
        case .browserXOAuth1, .redirectXOAuth1, .conflict: "oauth1"
        default: nil
        }
    }

    /// The parameter `response_mode`; `nil` for a redirect.
    var responseMode: String? {
        switch self {
        case .browserFormPost: "form_post"
        case .browserPopUp: "web_message"
        default: nil
        }
    }
}
