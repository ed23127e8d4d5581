import Foundation
import Testing

@testable import AttackLab

@Suite("The catalogue")
struct CatalogueTests {
    @Test("Every attack has a unique id, a sentence, an expected result and a source")
    func complete() {
        var ids: Set<String> = []
        for attack in Catalogue.all {
            #expect(ids.insert(attack.id).inserted, "\(attack.id) stands twice")
            #expect(attack.sentence.hasSuffix("."), "\(attack.id)")
            #expect(attack.oracle.hasSuffix("."), "\(attack.id)")
            #expect(!attack.source.isEmpty, "\(attack.id)")
        }
        #expect(ids.count >= 250)
    }

    @Test("Every mistake is found by at least one attack", arguments: Mistake.allCases)
    func mistakes(mistake: Mistake) {
        #expect(Catalogue.all.contains { $0.reveals.contains(mistake) })
        #expect(mistake.sentence.hasSuffix("."))
    }

    @Test(
        "The catalogue contains every core attack, except those that cannot be made over the network",
        arguments: StarredAttacks.ids)
    func starred(id: String) {
        #expect(Catalogue.attacks(named: [id]).isEmpty == StarredAttacks.elsewhere.keys.contains(id))
    }

    @Test("The quick selection has one variant of each attack at each endpoint, and no attack that waits")
    func quick() {
        let quick = Catalogue.quick(Catalogue.all)
        #expect(quick.count > 250)
        #expect(quick.allSatisfy { !$0.needs.contains(.patience) })
        #expect(quick.count { $0.id.hasPrefix("IDT-18") } == TokenDoor.allCases.count)
    }

    @Test("Attacks are sorted by stage, and within a stage by the number of their id")
    func order() {
        let ids = ["CB-01", "ST-2", "ST-10", "IDT-05a", "IDT-05b"]
        let attacks = ids.map { id in
            let stage: Stage = id.hasPrefix("ST") ? .start : id.hasPrefix("CB") ? .callback : .idToken
            return Attack(id, stage, .low, "It does nothing.", oracle: "Nothing.", source: "none") { _ in }
        }
        #expect(
            attacks.shuffled().sorted { $0.stands(before: $1) }.map(\.id)
                == ["ST-2", "ST-10", "CB-01", "IDT-05a", "IDT-05b"])
    }

    @Test(
        "A name selects the attack and its variants, a prefix selects all ids that begin with it, and no other number")
    func names() {
        #expect(Catalogue.attacks(named: ["IDT-"]).allSatisfy { $0.id.hasPrefix("IDT-") })
        #expect(!Catalogue.attacks(named: ["IDT-1"]).contains { $0.id == "IDT-19" })
        #expect(Catalogue.attacks(named: ["IDT-19"]).contains { $0.id == "IDT-19a" })
        #expect(Catalogue.attacks(named: ["NO-99"]).isEmpty)
    }

    @Test("Every stage has attacks", arguments: Stage.allCases)
    func stages(stage: Stage) {
        #expect(Catalogue.all.contains { $0.stage == stage })
    }

    @Test("Every module of the relying-party profile is an attack of the catalogue")
    func profile() {
        let ids = Set(Catalogue.all.map(\.id))
        #expect(!RelyingPartyProfile.modules.isEmpty)
        for (module, attack) in RelyingPartyProfile.modules { #expect(ids.contains(attack), "\(module)") }
    }

    @Test("Every forged token is sent to every endpoint at which it is wrong", arguments: TokenDoor.allCases)
    func doors(door: TokenDoor) {
        let ids = Set(Catalogue.all.map(\.id))
        let forgeries = ForgedTokens.rows.flatMap { row in row.forgeries.map { (row.id + $0.letter, $0.doors) } }
        #expect(Set(forgeries.map { $0.0 }).count == forgeries.count)
        #expect(forgeries.count { $0.1.contains(door) } >= 240)
        for (id, doors) in forgeries where doors.contains(door) { #expect(ids.contains(door.id(of: id)), "\(id)") }
    }

    @Test("The number of attacks is that of SECURITY.md")
    func count() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "SECURITY.md"), encoding: .utf8)
        #expect(page.contains("with \(Catalogue.all.count) attacks"))
    }
}
