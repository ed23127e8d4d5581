import Foundation
import Testing

@testable import AttackLab

@Suite("The table of conformance modules")
struct ConformanceTableTests {
    private let table: String

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        table = try String(contentsOf: folder.appending(path: "OpenID-conformance.md"), encoding: .utf8)
    }

    @Test("The table contains every module of the profile with its attack, and every other module with the reason")
    func complete() {
        for (module, attack) in RelyingPartyProfile.modules {
            #expect(table.contains("| `\(module)` | `\(attack)` |"))
        }
        for (module, reason) in RelyingPartyProfile.notApplicable {
            #expect(table.contains("| `\(module)` | \(reason) |"))
        }
        let rows = table.split(separator: "\n").count { $0.hasPrefix("| `") }
        #expect(rows == RelyingPartyProfile.modules.count + RelyingPartyProfile.notApplicable.count)
    }
}
