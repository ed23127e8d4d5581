import Yams

/// The YAML text as one tree with lines.
enum Document {
    /// Marks a key that the parser would not take twice.
    ///
    /// A private-use character, so that no key of ours begins with it.
    static let duplicateMark: Character = "\u{E000}"
    private static let maximumDuplicates = 64

    /// Answers the whole file as one entry, or reports why there is no tree to read.
    ///
    /// Yams stops at the first key that is written twice. So that everything else is reported as well, such a key is
    /// marked in the text and reported by ``Entry/members()``, where the second line is known.
    static func compose(_ yaml: String, reader: Reader) -> Entry? {
        // By scalars: as a character, "\r\n" is one of its own.
        var lines = yaml.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0...maximumDuplicates {
            do {
                let node = try Yams.compose(yaml: lines.joined(separator: "\n"), .default, .default, .utf8)
                return Entry(key: "", name: "", line: nil, node: node ?? .mapping(.init([])), reader: reader)
            } catch YamlError.duplicatedKeysInMapping(_, let context) {
                guard mark(&lines, at: context.mark) else {
                    reader.refuse(line: context.mark.line, key: "", "a key is written twice: keep one")
                    return nil
                }
            } catch {
                report(error, in: yaml, to: reader)
                return nil
            }
        }
        reader.refuse(line: nil, key: "", "too many keys are written twice: keep one of each")
        return nil
    }

    private static func mark(_ lines: inout [String], at mark: Mark) -> Bool {
        guard lines.indices.contains(mark.line - 1) else { return false }
        // Columns are counted in Unicode scalars, from 1.
        var scalars = Array(lines[mark.line - 1].unicodeScalars)
        var column = mark.column - 1
        guard scalars.indices.contains(column) else { return false }
        if scalars[column] == "\"" || scalars[column] == "'" { column += 1 }
        scalars.insert(contentsOf: String(duplicateMark).unicodeScalars, at: column)
        var line = String.UnicodeScalarView()
        line.append(contentsOf: scalars)
        lines[mark.line - 1] = String(line)
        return true
    }

    /// The parser's own words are constants; what it quotes of the file is left out, since that may be a secret.
    private static func report(_ error: any Error, in yaml: String, to reader: Reader) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            reader.refuse(line: mark.line, key: "", "is not YAML: \(problem) (column \(mark.column))")
        case .reader(let problem, let offset, _, _):
            let line = offset.map { yaml.prefix($0).count(where: \.isNewline) + 1 }
            reader.refuse(line: line, key: "", "is not YAML: \(problem)")
        default:
            reader.refuse(line: nil, key: "", "is not YAML")
        }
    }
}
