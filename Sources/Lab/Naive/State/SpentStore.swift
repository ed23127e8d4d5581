internal import AttackLab
internal import Foundation

/// What was used and must not be used again.
///
/// One actor decides who is first. Every line is in the file before the answer is given, so that a restart forgets
/// nothing.
actor SpentStore {
    private var used: Set<String> = []
    /// Nil where memory alone is trusted.
    private let file: FileHandle?
    private let environment: BackendEnvironment

    init(_ environment: BackendEnvironment) throws {
        self.environment = environment
        guard !environment.makes(.forgottenAtRestart) else {
            file = nil
            return
        }
        let path = environment.folder + "/used"
        file = try FileHandle(appendingTo: path)
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("-") { used.remove(String(line.dropFirst())) } else { used.insert(String(line)) }
        }
    }

    func contains(_ name: String) -> Bool { used.contains(name) }

    /// All of them or none.
    ///
    /// - Throws: `replayed` where one was used before.
    func spend(_ names: [String]) async throws(Refusal) {
        guard used.isDisjoint(with: names) else { throw .replayed }
        if environment.makes(.checkThenAct) {
            // A look, then work, then a note: whoever looks meanwhile sees nothing.
            try? await Task.sleep(for: .milliseconds(30))
        }
        used.formUnion(names)
        try write(names)
    }

    /// Whether they are as good as before.
    func giveBack(_ names: [String]) -> Bool {
        used.subtract(names)
        return (try? write(names.map { "-" + $0 })) != nil
    }

    private func write(_ lines: [String]) throws(Refusal) {
        guard let file, !lines.isEmpty else { return }
        do {
            try file.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        } catch {
            throw .storage
        }
    }
}
