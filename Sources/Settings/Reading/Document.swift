import Yams

/// Parses the YAML text to a tree of entries with their lines.
enum Document {
    /// The character that marks a duplicate key.
    ///
    /// It is a private-use character, which no key of the configuration starts with.
    static let duplicateMark: Character = "\u{E000}"
    private static let maximumDuplicates = 64

    /// Returns the whole file as one entry, or reports why it cannot be parsed.
    ///
    /// Yams stops at the first duplicate key. To report all other problems too, this function marks the key in the text
    /// and parses it again. ``Entry/members()`` then reports the duplicate, because it knows both lines.
    static func compose(_ yaml: String, reader: Reader) -> Entry? {
        // Split by Unicode scalars: as a Character, "\r\n" differs from "\n".
        var lines = yaml.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0...maximumDuplicates {
            do {
                let node = try Yams.compose(yaml: lines.joined(separator: "\n"), .default, .default, .utf8)
                let root = node.map { Entry(key: "", name: "", line: nil, node: $0, reader: reader) }
                guard let root, !root.isNull else {
                    reader.refuse(
                        line: nil, key: "", "has no keys: write the configuration there, or name the file that has it")
                    return nil
                }
                return root
            } catch YamlError.duplicatedKeysInMapping(_, let context) {
                guard mark(&lines, at: context.mark) else {
                    reader.refuse(line: context.mark.line, key: "", "a key occurs twice: keep one")
                    return nil
                }
            } catch {
                report(error, in: yaml, to: reader)
                return nil
            }
        }
        reader.refuse(line: nil, key: "", "too many keys occur twice: keep one of each")
        return nil
    }

    private static func mark(_ lines: inout [String], at mark: Mark) -> Bool {
        guard lines.indices.contains(mark.line - 1) else { return false }
        // Columns count Unicode scalars, starting at 1.
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

    /// Says what to do about a problem of the parser, which stops at the first line that cannot follow the earlier ones.
    ///
    /// - Parameters:
    ///   - problem: The words of the parser.
    ///   - mark: The place where it stopped.
    ///   - context: What it was reading, from its beginning.
    /// - Returns: A sentence without a full stop, which quotes nothing from the text.
    private static func advice(
        about problem: String, at mark: Mark, within context: YamlError.Context?, of yaml: String
    ) -> String {
        let lines = yaml.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        let near = [mark.line - 1, mark.line - 2].filter(lines.indices.contains).map { lines[$0] }
        let indentation = near.flatMap { $0.prefix(while: \.properties.isWhitespace) }
        if indentation.contains("\t") { return "The indentation contains a tab: write spaces" }
        if let space = indentation.first(where: { !$0.isASCII }) {
            return "The indentation contains the space \(space.notation): write ordinary spaces (U+0020)"
        }
        if problem.contains("another document") {
            return "A line --- begins a second document: leave it and what follows out"
        }
        // The second spelling is that of libyaml.
        if ["escape character", "hexdecimal"].contains(where: problem.contains) {
            return
                "In double quotation marks a backslash begins an escape: write the text in single ones, such as a path "
                + "of Windows or a regular expression"
        }
        // What has no end takes in the lines after it.
        if let context, context.mark.line < mark.line {
            if context.text.contains("quoted scalar") {
                return "The value that begins with a quotation mark on line \(context.mark.line) has none at its end"
            }
            if context.text.contains("flow") {
                return "A [ or { on line \(context.mark.line) is not closed, or a comma is missing before this place"
            }
        }
        // YAML 1.2.2 §7.3.3: these characters cannot begin a plain scalar, or have a meaning there.
        if let line = near.first, let first = line.dropFirst(mark.column - 1).first,
            "@`%*&!|>".unicodeScalars.contains(first)
        {
            return "A value that begins with one of the characters @ ` % * & ! | > needs quotation marks"
        }
        return "The cause may be this line or the one before it: compare their indentation, and look for a missing "
            + "bracket or quotation mark, and for a colon that is missing or has no space after it. A value with a colon at its end or "
            + "before a space, or with [ { | or > at its beginning, needs quotation marks if it is one text"
    }

    /// Reports the parser's message, which is constant.
    ///
    /// Text that it quotes from the file could be a secret and is left out.
    private static func report(_ error: any Error, in yaml: String, to reader: Reader) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            reader.refuse(
                line: mark.line, key: "",
                "is not YAML: \(problem) (column \(mark.column)). "
                    + advice(about: problem, at: mark, within: context, of: yaml))
        case .reader(let problem, let offset, _, _):
            let line = offset.map { yaml.prefix($0).count(where: \.isNewline) + 1 }
            reader.refuse(line: line, key: "", "is not YAML: \(problem)")
        default:
            reader.refuse(line: nil, key: "", "is not YAML")
        }
    }
}
