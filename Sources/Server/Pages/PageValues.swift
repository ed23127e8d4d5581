extension Page {
    var template: String {
        switch self {
        case .signIn(_, .signIn, _, _, _, _): Template.signIn
        case .signIn(_, .link, _, _, _, _): Template.link
        case .signIn(_, .reauthenticate, _, _, _, _): Template.reauthenticate
        case .settleConflict: Template.settleConflict
        case .secondFactor: Template.secondFactor
        case .enterCode: Template.enterCode
        case .confirmDevice: Template.confirmDevice
        case .approveDevice: Template.approveDevice
        case .deviceApproved: Template.deviceApproved
        case .deviceRefused: Template.deviceRefused
        case .formPost: Template.formPost
        case .webMessage: Template.webMessage
        case .home: Template.home
        case .problem: Template.problem
        }
    }

    /// The values for the names in double braces in the templates.
    func values(in language: PageLanguage) -> [String: Any] {
        switch self {
        case .signIn(let application, _, let account, let destination, let providers, let flow):
            [
                "application": DisplayName.shown(application), "flow": VisibleASCII.only(flow),
                "providers": providers.map(\.values), "several": providers.count > 1,
                "provider": providers.first.map { DisplayName.shown($0.name) } ?? "",
            ].merging(destination.values, uniquingKeysWith: { $1 })
                .merging(account?.values(in: .of(language)) ?? [:], uniquingKeysWith: { $1 })
        case .settleConflict(
            let application, let provider, let person, let signInMethods, let providers, let isFull, let isRepeated,
            let flow):
            [
                "application": DisplayName.shown(application), "newProvider": DisplayName.shown(provider),
                "hasPerson": person != nil, "person": DisplayName.shown(person ?? ""),
                "hasSignInMethods": !signInMethods.isEmpty,
                "signInMethods": PageTexts.of(language).list(ofSignInMethods: signInMethods),
                "providers": providers.map(\.values), "several": providers.count > 1,
                "canSettle": !providers.isEmpty, "isFull": isFull, "isRepeated": isRepeated,
                "flow": VisibleASCII.only(flow),
            ]
        case .secondFactor(let application, let isRepeated, let flow):
            [
                "application": DisplayName.shown(application), "hasProblem": isRepeated,
                "flow": VisibleASCII.only(flow),
            ]
        case .enterCode(let code, let problem, let flow):
            [
                "code": TypedCode.shown(code), "flow": VisibleASCII.only(flow), "hasProblem": problem != nil,
                "codeProblem": problem.map { PageTexts.of(language).text(of: $0) } ?? "",
            ]
        case .confirmDevice(let application, let userCode, let providers, let flow):
            [
                "application": DisplayName.shown(application), "userCode": VisibleASCII.only(userCode),
                "providers": providers.map(\.values), "several": providers.count > 1,
                "flow": VisibleASCII.only(flow),
            ]
        case .approveDevice(let application, let provider, let person, let flow):
            [
                "application": DisplayName.shown(application), "provider": DisplayName.shown(provider),
                "person": DisplayName.shown(person), "flow": VisibleASCII.only(flow),
            ]
        case .deviceApproved(let application), .deviceRefused(let application):
            ["application": DisplayName.shown(application)]
        case .formPost(let action, let origin, let fields):
            [
                "action": ExactText.attribute(action), "host": VisibleASCII.only(origin),
                "fields": fields.map(\.values),
            ]
        case .webMessage(let origin, let fields):
            [
                "origin": ExactText.attribute(origin), "host": VisibleASCII.only(origin),
                "fields": fields.map(\.values),
            ]
        case .home: [:]
        case .problem(let problem, let message, let requestID, let wayBack):
            [
                "hasMessage": message != nil, "message": DisplayName.shown(message ?? "", atMost: 300),
                "heading": PageTexts.of(language).problems[problem].heading,
                "advice": PageTexts.of(language).problems[problem].advice,
                "concernsDevice": problem.concernsDevice, "requestID": VisibleASCII.only(requestID),
            ].merging(wayBack?.values ?? [:], uniquingKeysWith: { $1 })
        }
    }
}

extension ApplicationLink {
    fileprivate var values: [String: Any] {
        ["application": DisplayName.shown(name), "wayBack": VisibleASCII.only(url)]
    }
}

extension PageLanguage {
    var values: [String: Any] { ["tag": rawValue, "name": ownName, "direction": direction] }
}

extension ProviderChoice {
    fileprivate var values: [String: Any] {
        ["id": VisibleASCII.only(id), "provider": DisplayName.shown(name)]
    }
}

extension ResponseField {
    fileprivate var values: [String: Any] {
        ["name": ExactText.attribute(name), "value": ExactText.attribute(value)]
    }
}

extension AccountShown {
    fileprivate func values(in texts: PageTexts) -> [String: Any] {
        let (names, provider): ([String: Any], String?) =
            switch self {
            case .person(let person, let provider): (["person": DisplayName.shown(person)], provider)
            case .guest(let end): (["guest": true, "uidEnd": DisplayName.shown(end)], nil)
            case .unnamed(let provider, let end): (["unnamed": true, "uidEnd": DisplayName.shown(end)], provider)
            }
        return names.merging(
            [
                "account": true, "hasProvider": provider != nil,
                "accountProvider": DisplayName.shown(provider.map(texts.name) ?? ""),
            ],
            uniquingKeysWith: { $1 })
    }
}

extension Destination {
    fileprivate var values: [String: Any] {
        switch self {
        case .website(let host): ["website": true, "host": VisibleASCII.only(host)]
        case .application(let scheme): ["app": true, "scheme": VisibleASCII.only(scheme), "anyoneCanClaim": true]
        case .thisDevice: ["thisDevice": true, "anyoneCanClaim": true]
        }
    }
}

/// Filters values that a page only passes on: a flow, an id, a host.
enum VisibleASCII {
    /// Removes all characters except U+0021 to U+007E.
    static func only(_ text: String) -> String {
        String(decoding: text.utf8.filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
    }
}

/// Escapes values that a page must pass on unchanged, such as the `state` of an application.
enum ExactText {
    /// Returns the text for an attribute in quotation marks.
    ///
    /// The text is escaped by octets: swift-mustache 2.1.1 escapes graphemes, and does not see a quotation mark before a
    /// combining mark. Control characters of ASCII and U+FFFE and U+FFFF are removed, since a document cannot contain
    /// them; no parameter contains the former.
    static func attribute(_ text: String) -> String {
        let kept = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F && $0.value & 0xFFFE != 0xFFFE }
        let octets = String(String.UnicodeScalarView(kept)).utf8.flatMap { octet -> [UInt8] in
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
                Array("&#\(octet);".utf8)
            default: [octet]
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
