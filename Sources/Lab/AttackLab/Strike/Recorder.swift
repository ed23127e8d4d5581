/// What one attack did and found.
actor Recorder {
    private(set) var shots: [Shot] = []
    private(set) var findings: [Finding] = []
    private(set) var secrets: Set<String> = []
    private(set) var canaries: Set<String> = []
    private(set) var shotCount = 0
    /// Whether the server said that it is asked too often, which says nothing of the attack.
    private(set) var isLimited = false

    /// A report shows the first shots, the hostile ones among them first.
    private static let keptShots = 12

    func record(_ shot: Shot) {
        shotCount += 1
        for finding in shot.findings { add(finding) }
        guard shots.count >= Self.keptShots else { return shots.append(shot) }
        guard shot.expectation != nil, let place = shots.lastIndex(where: { $0.expectation == nil }) else { return }
        shots.remove(at: place)
        shots.append(shot)
    }

    func add(_ finding: Finding) {
        if !findings.contains(finding) { findings.append(finding) }
    }

    func limit() { isLimited = true }

    func addSecret(_ text: String) {
        if text.utf8.count >= 8 { secrets.insert(text) }
    }

    func addCanary(_ text: String) { canaries.insert(text) }
}
