extension Catalogue {
    static let redirectURITricks: [Attack] = [tricksWithTheHost, tricksWithTheText].flatMap(\.self).map(\.attack)

    private static let tricksWithTheHost: [RedirectURITrick] = [
        RedirectURITrick(
            letter: "", sentence: "The registered host stands in the userinfo of another one.",
            spellings: [
                "https://{host}@evil.example{path}", "https://{host}:443@evil.example{path}",
                "https://{host}:pass@evil.example{path}", "https://evil.example\\@{host}{path}",
                "https://user@{host}{path}", "https://@{host}{path}", "https://{host}%40evil.example{path}",
            ]),
        RedirectURITrick(
            letter: "a", sentence: "The host begins or ends like the registered one.",
            spellings: [
                "https://{host}.evil.example{path}", "https://evil{host}{path}", "https://sub.{host}{path}",
                "https://{host}.{path}", "https://{host}:443{path}", "https://{host}:8443{path}",
                "https://{host}:{path}", "https://{host}evil.example{path}",
            ]),
        RedirectURITrick(
            letter: "b", sentence: "The path goes on where the registered one ends.",
            spellings: [
                "{uri}/", "{uri}\u{200B}", "{uri}/evil", "{uri}evil", "{uri}.evil.example", "{uri};evil",
                "{uri}/../evil",
                "{uri}/..%2fevil", "{uri}/%2e%2e/evil", "{uri},https://evil.example/", "{uri} https://evil.example/",
            ], reveals: [.redirectPrefix, .redirectUnchecked]),
        RedirectURITrick(
            letter: "c", sentence: "The registered redirect URI has a fragment behind it.",
            spellings: ["{uri}#", "{uri}#x", "{uri}#@evil.example", "{uri}#?code=x"],
            reveals: [.redirectPrefix, .redirectUnchecked]),
        RedirectURITrick(
            letter: "d", sentence: "The registered redirect URI has a query of the attacker's behind it.",
            spellings: ["{uri}?", "{uri}?x=1", "{uri}?code=mine&state=mine", "{uri}?next=https://evil.example/"],
            reveals: [.redirectPrefix, .redirectUnchecked]),
        RedirectURITrick(
            letter: "e", sentence: "Letters of scheme, host or path are of another case.",
            spellings: [
                "HTTPS://{host}{path}", "Https://{host}{path}", "https://APP.example{path}", "https://{host}/CB",
            ]),
        RedirectURITrick(
            letter: "f", sentence: "Characters of the registered redirect URI are percent-encoded once more.",
            spellings: [
                "https://{host}/%63%62", "https://{host}%2Fcb", "https%3A%2F%2F{host}{path}",
                "https:%2f%2f{host}{path}", "https://%61pp.example{path}", "https://{host}/%2563b",
            ]),
    ]

    private static let tricksWithTheText: [RedirectURITrick] = [
        RedirectURITrick(
            letter: "g",
            sentence: "Slashes are missing, doubled or turned round, so that the scheme or host is another.",
            spellings: [
                "//evil.example", "//{host}{path}", "/\\evil.example", "https:/\\evil.example",
                "https:\\\\{host}{path}",
                "https:/{host}{path}", "https:{host}{path}", "https:///{host}{path}", "/./\\evil.example",
                "/./../../\\evil.example", "{host}{path}", "{path}", "///evil.example/..",
            ]),
        RedirectURITrick(
            letter: "h", sentence: "White space and control characters stand where a parser skips them.",
            spellings: [
                "/\t/evil.example", "/\t\\evil.example", "/\u{B}/evil.example", "/\r/evil.example",
                "/\n\\evil.example", "/\t\t\\\t/evil.example", "{uri}\0", "{uri}\n", "{uri}\r\nLocation: x",
                "\thttps://{host}{path}", "java\tscript:alert(1)", "https://{host}\u{7F}{path}",
            ], reveals: []),
        RedirectURITrick(
            letter: "i", sentence: "The scheme runs or shows what it holds.",
            spellings: [
                "javascript:alert(1)", "javascript://{host}/%0aalert(1)", "data:text/html,x", "vbscript:x",
                "file:///etc/passwd", "about:blank", "blob:https://{host}/x", "view-source:{uri}",
                "intent://{host}{path}",
            ]),
        RedirectURITrick(
            letter: "j", sentence: "Letters look like those of the registered host, or fold into them.",
            spellings: [
                "https://\u{430}pp.example{path}", "https://app\u{3002}example{path}",
                "https://app\u{FF0E}example{path}",
                "https://{host}\u{FF0F}cb", "https://\u{FF41}pp.example{path}", "https://xn--pp-6kc.example{path}",
                "https://app\u{AD}.example{path}", "https://{host}/c\u{FF42}",
            ], reveals: [.redirectUnchecked]),
        RedirectURITrick(
            letter: "k", sentence: "Dot segments and empty segments lead to the registered path.",
            spellings: [
                "https://{host}/.{path}", "https://{host}/{path}", "https://{host}/x/..{path}",
                "https://{host}/x/%2e%2e{path}",
                "https://{host}/\\..{path}",
            ]),
        RedirectURITrick(
            letter: "l", sentence: "Spaces stand around the registered redirect URI, or something before it.",
            spellings: [
                " {uri}", "https://evil.example/ {uri}", "https://evil.example/?{uri}", "https://evil.example/#{uri}",
                "https://evil.example/{uri}", "<{uri}>", "\"{uri}\"",
            ]),
    ]
}
