internal import Foundation
internal import JOSE
internal import Stores

/// Prints accounts in columns, for a terminal.
struct AccountTable {
    private static let titles = ["UID", "CREATED", "STATE", "IDENTITIES", "E-MAIL"]
    private var widths: [Int]?

    /// Prints a page.
    ///
    /// The first page starts with the titles and determines the widths of the columns.
    mutating func show(_ page: [StoredAccount]) {
        let rows = page.map(Self.cells)
        if let widths {
            for row in rows { print(Self.row(row, widths)) }
            return
        }
        let all = [Self.titles] + rows
        let widths = Self.titles.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        for row in all { print(Self.row(row, widths)) }
        self.widths = widths
    }

    /// Prints one account, with one line per property.
    static func show(_ account: StoredAccount) {
        let cells = cells(account)
        for (title, value) in [
            ("uid", cells[0]), ("created", cells[1]), ("state", cells[2]), ("e-mail", cells[4]),
            ("deleted after", account.deleteAfter.map(date) ?? "-"),
            (
                "other way in",
                account.signInMethods.isEmpty
                    ? account.hasOtherSignInMethod ? "yes" : "no"
                    : account.signInMethods.names.map { VisibleText.of($0) }.joined(separator: ",")
            ),
        ] {
            print("\(title): \(value)")
        }
        for identity in account.identities {
            let name = identity.details.name.map { ", \(VisibleText.of($0))" } ?? ""
            let email = identity.details.email.map { ", \(VisibleText.of($0))" } ?? ""
            print(
                "identity: \(VisibleText.of(identity.identity.provider)) \(VisibleText.of(identity.identity.subject))"
                    + "\(name)\(email), linked \(date(identity.linkedAt)), last used \(date(identity.lastUsedAt))")
        }
    }

    private static func cells(_ account: StoredAccount) -> [String] {
        let states = [
            account.isDisabled ? "disabled" : nil, account.isAnonymous ? "anonymous" : nil,
            account.isAdopted ? "adopted" : nil,
        ].compactMap(\.self)
        let providers = account.identities.map { VisibleText.of($0.identity.provider) }
        return [
            VisibleText.of(account.uid), date(account.createdAt), states.isEmpty ? "-" : states.joined(separator: ","),
            providers.isEmpty ? "-" : providers.joined(separator: ","),
            account.email.map { VisibleText.of($0.text) } ?? "-",
        ]
    }

    private static func row(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
        return padded.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }

    static func date(_ date: NumericDate) -> String {
        Date(timeIntervalSince1970: Double(date.seconds)).formatted(.iso8601)
    }
}
