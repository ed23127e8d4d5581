extension Outcome {
    /// What speaks against the server, or why nothing can be said; none where the attack was blocked.
    var remarks: [String] {
        switch verdict {
        case .blocked: []
        case .broken(let findings): findings.map { elision("\($0.kind.rawValue): \($0.sentence)") }
        case .inconclusive(let sentence): [elision(sentence)]
        case .notApplicable(let needs): ["It needs " + needs.map(\.rawValue).sorted().joined(separator: ", ") + "."]
        }
    }

    var seconds: Double { duration / .seconds(1) }
}
