/// What `--list` and `--explain` say of attacks.
package enum Explanation {
    /// One line for each.
    package static func list(_ attacks: [Attack]) -> String {
        let width = attacks.map(\.id.count).max() ?? 0
        return attacks.map { attack in
            let padding = String(repeating: " ", count: width - attack.id.count)
            return "\(attack.id)\(padding)  \(attack.severity.rawValue)  \(attack.sentence)\n"
        }.joined()
    }

    package static func text(_ attack: Attack) -> String {
        var parts = [
            ("attack", attack.id), ("stage", attack.stage.title), ("severity", attack.severity.rawValue),
            ("the attacker", attack.sentence), ("a correct server", attack.oracle), ("source", attack.source),
            ("needs", attack.needs.isEmpty ? "nothing" : attack.needs.map(\.rawValue).sorted().joined(separator: ", ")),
        ]
        parts += attack.reveals.sorted().map { ("finds", "\($0.rawValue): \($0.sentence)") }
        let width = parts.map(\.0.count).max() ?? 0
        return parts.map { name, value in
            name + String(repeating: " ", count: width - name.count) + "  " + value + "\n"
        }.joined()
    }
}
