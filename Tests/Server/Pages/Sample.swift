import Minting
import Testing

@testable import Server

/// A page in one language.
struct Sample: CustomTestStringConvertible, Sendable {
    let page: Page
    let language: PageLanguage

    var testDescription: String { "\(language): \(page)" }

    /// The renderer of all tests.
    ///
    /// Parsing the templates takes longer than most tests.
    static let renderer = Result { try PageRenderer() }

    static let providers = [
        ProviderChoice(id: "yahoo.com", name: "Yahoo"), ProviderChoice(id: "twitter.com", name: "X"),
    ]

    static func signIn(
        for purpose: SignInPurpose = .signIn, of account: AccountShown? = nil, to destination: Destination,
        with providers: [ProviderChoice] = providers
    ) -> Page {
        .signIn(
            application: "Aurora", purpose: purpose, account: account, destination: destination, providers: providers,
            flow: "F1")
    }

    static func conflict(
        signInMethods: [String] = ["Yahoo"], providers: [ProviderChoice] = [providers[0]], isFull: Bool = false,
        isRepeated: Bool = false
    ) -> Page {
        .settleConflict(
            application: "Aurora", provider: "X", person: "maya@mail.example", signInMethods: signInMethods,
            providers: providers,
            isFull: isFull, isRepeated: isRepeated, flow: "F1")
    }

    static func secondFactor(isRepeated: Bool) -> Page {
        .secondFactor(application: "Aurora", isRepeated: isRepeated, flow: "F1")
    }

    static let fields = [ResponseField(name: "code", value: "C1"), ResponseField(name: "state", value: "S1")]

    static func formPost(fields: [ResponseField] = fields) -> Page {
        .formPost(action: "https://aurora.example/cb?a=1&b=2", origin: "https://aurora.example", fields: fields)
    }

    static func webMessage(fields: [ResponseField] = fields) -> Page {
        .webMessage(origin: "https://aurora.example", fields: fields)
    }

    /// Every page, with every text that it can contain.
    static let pages: [Page] =
        [
            signIn(to: .website(host: "aurora.example")),
            signIn(to: .application(scheme: "com.example.aurora"), with: [providers[0]]),
            signIn(to: .thisDevice),
            .enterCode(code: "", problem: nil, flow: "F1"),
            .confirmDevice(application: "Aurora", userCode: "WDJB-MJHT", providers: providers, flow: "F1"),
            .approveDevice(application: "Aurora", provider: "Yahoo", person: "maya@mail.example", flow: "F1"),
            .deviceApproved(application: "Aurora"), .deviceRefused(application: "Aurora"),
            signIn(for: .link, of: .person("maya@mail.example", provider: "Yahoo"), to: .thisDevice),
            signIn(for: .link, of: .guest(uidEnd: "a1B2c3"), to: .thisDevice, with: [providers[0]]),
            signIn(
                for: .reauthenticate, of: .unnamed(provider: "X", uidEnd: "a1B2c3"),
                to: .website(host: "aurora.example")),
            formPost(), webMessage(),
            secondFactor(isRepeated: false), secondFactor(isRepeated: true), conflict(isRepeated: true),
            conflict(signInMethods: ["password", "phone", "emailLink"], providers: []),
            conflict(signInMethods: ["X"], providers: [], isFull: true), .home,
        ] + CodeProblem.allCases.map { .enterCode(code: "WDJB", problem: $0, flow: "F1") }
        + PageProblem.allCases.map { .problem($0, requestID: "R1") } + [
            .problem(.blockedByHook, message: "Aurora 12", requestID: "R1"),
            .problem(
                .stateMismatch, requestID: "R1",
                wayBack: ApplicationLink(name: "Aurora", url: "com.example.a:/cb?error=e")),
        ]

    static let all = PageLanguage.allCases.flatMap { language in pages.map { Sample(page: $0, language: language) } }
    static let translated = all.filter { $0.language != .english }
}
