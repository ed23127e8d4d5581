internal import Foundation

/// The place where attacks are tried: a server, and what the attacker has beside it.
package struct Lab: Sendable {
    package let server: Wire
    package let admin: Wire?
    /// What is at hand here and what the server offers.
    package let offers: Set<Need>
    let application: Application
    let standIns: StandIns?
    let testBed: TestBed?
    /// The log of the server under attack.
    let log: LogFile?
    let pace: Pace?
    let supplies: Supplies?
    /// Whether every attack looks for its secrets in the log; otherwise only those do that are about the log.
    var watchesLog = true
    /// The attacker's loot; nil where the key is not known.
    var sealKey: StolenSealKey?

    /// Seconds since 1970.
    var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// What the attack needs, or the reason that it is inconclusive.
    func needed<Part>(_ part: Part?, _ name: String) throws -> Part {
        guard let part else { throw Inconclusive("There are no \(name) here.") }
        return part
    }
}
