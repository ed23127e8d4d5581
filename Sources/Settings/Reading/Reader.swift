internal import OperatingSystem

/// One reading of one configuration: what it may look at, and all that it found wrong.
final class Reader {
    let loader: SettingsLoader
    let file: ConfigurationFile
    private(set) var problems: [SettingsProblem] = []
    private(set) var warnings: [SettingsProblem] = []
    private var namedFolders: Set<String> = []

    /// Judges the file itself before anything that stands in it.
    init(loader: SettingsLoader, file: ConfigurationFile) {
        self.loader = loader
        self.file = file
        if let objection = FileContent.configuration.objection(to: file.exposure) {
            judgePermissions("\(file.path) \(objection)", line: nil, key: "")
        }
        name(file.openFolders, line: nil, key: "")
    }

    /// Reports what is wrong with a file that others can use: a problem, or a warning if the operator accepts that.
    func judgePermissions(_ fact: String, line: Int?, key: String) {
        if loader.allowances.insecurePermissions {
            warn(line: line, key: key, fact)
        } else {
            refuse(line: line, key: key, "\(fact), or start with \(Settings.Allowances.insecurePermissionsFlag)")
        }
    }

    /// Warns of folders that other users may write, of each once.
    func name(_ openFolders: [String], line: Int?, key: String) {
        for folder in openFolders where namedFolders.insert(folder).inserted {
            warn(line: line, key: key, OpenFolders.warning(about: folder))
        }
    }

    func refuse(line: Int?, key: String, _ message: String) {
        problems.append(SettingsProblem(line: line, key: key, message: message))
    }

    func warn(line: Int?, key: String, _ message: String) {
        warnings.append(SettingsProblem(line: line, key: key, message: message))
    }
}

/// Finds what somebody meant to write.
enum Spelling {
    /// `did you mean x?`, or all that may be written.
    static func hint(for word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { "did you mean \($0)?" }
            ?? "it knows \(known.sorted().joined(separator: ", "))"
    }

    /// The known word with the fewest letters to change, if these are few for its length.
    static func nearest(to word: String, among known: [String]) -> String? {
        // The distance takes a time of length times length.
        guard word.utf8.count <= 64 else { return nil }
        let ranked = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { ($0.distance, $0.word) < ($1.distance, $1.word) }) else { return nil }
        return best.distance <= max(1, min(3, best.word.count / 3)) ? best.word : nil
    }

    /// Levenshtein's: insertions, deletions and substitutions.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (rows, columns) = (Array(one.unicodeScalars), Array(other.unicodeScalars))
        var above = Array(0...columns.count)
        for (row, letter) in rows.enumerated() {
            var here = [row + 1]
            for (column, opposite) in columns.enumerated() {
                let substituted = above[column] + (letter == opposite ? 0 : 1)
                here.append(min(substituted, above[column + 1] + 1, here[column] + 1))
            }
            above = here
        }
        return above[columns.count]
    }
}
