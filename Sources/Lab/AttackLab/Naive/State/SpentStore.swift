internal import Foundation

/// The names of used credentials.
///
/// One actor decides which request is first. Every name is in the file before the response is sent, so that it survives
/// a restart.
actor SpentStore {
    private var used: Set<String> = []
    /// The file; `nil` for the mistake of keeping the names only in memory.
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

    /// Records all names or none.
    ///
    /// - Throws: `replayed` if one of them was used before.
    func spend(_ names: [String]) async throws(Refusal) {
        guard used.isDisjoint(with: names) else { throw .replayed }
        if environment.makes(.checkThenAct) {
            // A race: between the check and the record another request passes the check too.
            try? await Task.sleep(for: .milliseconds(30))
        }
        used.formUnion(names)
        try write(names)
    }

    /// Removes names, because the provider did not receive the credential.
    ///
    /// - Returns: Whether the removal was written to the file, so that a retry is possible.
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
