extension Settings.Client {
    static func readAppCheck(_ section: Section, _ firebase: Settings.Firebase?) -> AppCheck {
        guard let entry = section["app_check"], let appCheck = entry.choice(AppCheck.self) else { return .off }
        // The audience of App Check's tokens is the project.
        if appCheck != .off, let firebase, case .emulator = firebase.signing, firebase.projectID == nil {
            entry.refuse("needs firebase.project_id, which the emulator does not tell")
        }
        return appCheck
    }

    static func readAppCheckApps(_ section: Section, _ appCheck: AppCheck) -> [String] {
        guard let entry = section["app_check_apps"] else { return [] }
        let apps = entry.list { $0.firebaseAppID() } ?? []
        if appCheck == .off, !apps.isEmpty {
            entry.refuse("is never looked at without app_check: write app_check: required, or leave it out")
        }
        return apps
    }

    static func readRedeems(_ section: Section, _ firebase: Settings.Firebase?) -> Bool {
        guard let entry = section["redeem"], let redeems = entry.bool() else { return false }
        if redeems, let firebase, firebase.apiKey == nil {
            entry.refuse("needs firebase.api_key: write it there, as env:NAME or file:/path")
        }
        return redeems
    }
}

extension Entry {
    /// An application's id as the Firebase console shows it: `1:1234567890:ios:321abc456def7890`.
    fileprivate func firebaseAppID() -> String? {
        guard let text = text() else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isAppID =
            parts.count == 4
            && parts[0...1].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
            && ["android", "ios", "web"].contains(parts[2])
            && !parts[3].isEmpty && parts[3].allSatisfy { $0.isASCII && $0.isHexDigit }
        guard isAppID, text.utf8.count <= 128 else {
            return refusing("write the app id that the Firebase console shows, such as 1:1234567890:ios:0a1b2c3d")
        }
        return text
    }
}
