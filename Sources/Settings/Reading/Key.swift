/// A section of the configuration, each key of which is declared once.
///
/// A property holds the default of its key until the file replaces it. The row in ``keys`` has the name and the rule of the
/// value. The list of known names, the reading of the file and the lines of `config check` come from these rows.
protocol SettingsSection: Sendable, Equatable {
    /// The section of a file that contains none of its keys.
    init()
    /// The keys, in the order in which `config check` prints them.
    static var keys: [Key<Self>] { get }
    /// Reads the keys that are marked as `readByCheck`, and reports values that contradict one another.
    mutating func check(_ section: Section)
}

extension SettingsSection {
    mutating func check(_ section: Section) {}

    /// Reads all keys, so that one run reports every problem.
    ///
    /// A refused value leaves the default in place. No caller sees it, because the loader then throws the problems.
    ///
    /// - Parameter defaults: The values of the keys that the file does not contain.
    static func read(_ section: Section, _ keys: [Key<Self>] = keys, from defaults: Self = Self()) -> Self {
        var value = defaults
        for key in keys { key.read(section, &value) }
        value.check(section)
        return value
    }

    /// One line for each key, without secrets: `server.listen: 127.0.0.1:8080`.
    func lines(below path: String = "") -> [String] {
        Self.keys.flatMap { $0.lines(self, path.isEmpty ? $0.name : "\(path).\($0.name)") }
    }

    static var names: [String] { keys.map(\.name) }
}

/// The declaration of one key: its name, its property, and the rule of its value.
struct Key<Root: SettingsSection>: Sendable {
    typealias Property<Value> = any WritableKeyPath<Root, Value> & Sendable

    let name: String
    /// The names of the keys below this one, such as `endpoints.token`; only its own name if it is not a section.
    var paths: [String]
    /// Assigns the value in the file to the property.
    var read: @Sendable (Section, inout Root) -> Void
    /// The lines of `config check`; none if there is no value to print.
    let lines: @Sendable (_ value: Root, _ path: String) -> [String]

    /// The same key, which ``SettingsSection/check(_:)`` reads, because its rule depends on other keys.
    var readByCheck: Self {
        var key = self
        key.read = { _, _ in }
        return key
    }
}

extension Key {
    /// A key with one value; if it has no default, `hint` says what to write.
    static func key<Value>(
        _ name: String, _ property: Property<Value>, _ rule: Rule<Value>, required hint: String? = nil
    ) -> Self {
        Self(name: name, paths: [name]) { section, root in
            let entry = if let hint { section.required(name, hint) } else { section[name] }
            if let value = entry.flatMap(rule.read) { root[keyPath: property] = value }
        } lines: { root, path in
            rule.write(root[keyPath: property]).map { ["\(path): \($0)"] } ?? []
        }
    }

    /// A key without a default, for which `config check` prints `text` or no line.
    static func optional<Value>(
        _ name: String, _ property: Property<Value?>, _ rule: Rule<Value>, unset text: String? = nil
    ) -> Self {
        key(name, property, Rule({ rule.read($0).map(Optional.some) }, write: { $0.map(rule.write) ?? text }))
    }

    /// A section below this one.
    static func section<Below: SettingsSection>(_ name: String, _ property: Property<Below>) -> Self {
        Self(name: name, paths: Below.keys.flatMap { $0.paths.map { "\(name).\($0)" } }) { section, root in
            root[keyPath: property] = Below.read(
                section.section(name, Below.self), from: root[keyPath: property])
        } lines: { root, path in
            root[keyPath: property].lines(below: path)
        }
    }

    /// A section whose absence has a meaning.
    static func optionalSection<Below: SettingsSection>(_ name: String, _ property: Property<Below?>) -> Self {
        Self(name: name, paths: Below.keys.flatMap { $0.paths.map { "\(name).\($0)" } }) { section, root in
            if section[name] != nil { root[keyPath: property] = Below.read(section.section(name, Below.self)) }
        } lines: { root, path in
            root[keyPath: property]?.lines(below: path) ?? []
        }
    }

    /// A section that a template may have, and that the word `off` leaves out.
    static func switchableSection<Below: SettingsSection>(_ name: String, _ property: Property<Below?>) -> Self {
        Self(name: name, paths: Below.keys.flatMap { $0.paths.map { "\(name).\($0)" } }) { section, root in
            guard let entry = section[name] else { return }
            root[keyPath: property] =
                entry.isOff
                ? nil
                : Below.read(section.section(name, Below.self), from: root[keyPath: property] ?? Below())
        } lines: { root, path in
            root[keyPath: property]?.lines(below: path) ?? ["\(path): off"]
        }
    }

    /// A key that shares its property with others; ``SettingsSection/check(_:)`` reads it.
    static func shared(_ name: String, _ write: @escaping @Sendable (Root) -> String?) -> Self {
        named(name, []) { root, path in write(root).map { ["\(path): \($0)"] } ?? [] }
    }

    /// A section whose names the operator chooses; ``SettingsSection/check(_:)`` reads it.
    ///
    /// `paths` are the names below it, with `*` for a name that the operator chooses; none for a key.
    static func named(
        _ name: String, _ paths: [String], _ lines: @escaping @Sendable (Root, _ path: String) -> [String]
    ) -> Self {
        Self(
            name: name, paths: paths.isEmpty ? [name] : paths.map { "\(name).\($0)" }, read: { _, _ in }, lines: lines)
    }
}

/// How a value is read, and how `config check` prints it.
struct Rule<Value>: Sendable {
    /// Reports a problem and returns `nil` if the value is refused.
    let read: @Sendable (Entry) -> Value?
    /// The text after the name, without secrets; `nil` if there is none to print.
    let write: @Sendable (Value) -> String?

    init(_ read: @escaping @Sendable (Entry) -> Value?, write: @escaping @Sendable (Value) -> String?) {
        (self.read, self.write) = (read, write)
    }
}

extension Rule<Bool> {
    static var flag: Self { Self({ $0.bool() }, write: { String($0) }) }
}

extension Rule<SecretValue> {
    static var secret: Self { Self({ $0.secret() }, write: { $0.source.elided }) }
}

extension Rule where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// A word of an enumeration.
    static var choice: Self { Self({ $0.choice(Value.self) }, write: { $0.rawValue }) }
}

extension Rule {
    static func integer(in range: ClosedRange<Int>) -> Self where Value == Int { .value { $0.integer(in: range) } }

    static func duration(in range: ClosedRange<Duration>, inWholeSeconds: Bool = false) -> Self
    where Value == Duration {
        Self({ $0.duration(in: range, inWholeSeconds: inWholeSeconds) }, write: { DurationText.write($0) })
    }

    /// A value that `config check` prints by its description.
    static func value(_ read: @escaping @Sendable (Entry) -> Value?) -> Self
    where Value: CustomStringConvertible & Sendable {
        Self(read, write: { $0.description })
    }

    /// A list, whose elements `config check` prints by their descriptions.
    static func list<Element: Equatable & CustomStringConvertible & Sendable>(
        _ read: @escaping @Sendable (Entry) -> Element?
    ) -> Self where Value == [Element] {
        Self({ $0.list(of: read) }, write: { $0.map(\.description).inList })
    }

    /// A list, or a single value as a list of one element.
    static func oneOrMore<Element: Equatable & CustomStringConvertible & Sendable>(
        _ read: @escaping @Sendable (Entry) -> Element?
    ) -> Self where Value == [Element] {
        Self({ $0.oneOrMore(of: read) }, write: { $0.map(\.description).inList })
    }

    /// A list of words.
    static func words<Word: Equatable & Sendable>(_ word: Rule<Word>) -> Self where Value == [Word] {
        Self({ $0.list(of: word.read) }, write: { $0.compactMap(word.write).inList })
    }

    /// A word with a meaning; the `refused` ones have a message of their own, the word and `reason`.
    static func word(
        _ words: [(word: String, meaning: Value)], except refused: [Value] = [], because reason: String = ""
    ) -> Self where Value: Equatable & Sendable {
        Self(
            { entry in
                let written = words.first { $0.word == entry.writtenText }
                if let written, refused.contains(written.meaning) { return entry.refusing("\(written.word) \(reason)") }
                return entry.choice(among: words.filter { !refused.contains($0.meaning) })
            }, write: { value in words.first { $0.meaning == value }?.word })
    }

    /// A value, or `off`, which is `nil`.
    static func off<Wrapped>(or rule: Rule<Wrapped>) -> Self where Value == Wrapped? {
        Self(
            { entry in
                if entry.isOff { return .some(nil) }
                var entry = entry
                entry.allowsOff = true
                return rule.read(entry).map(Optional.some)
            }, write: { $0.map(rule.write) ?? "off" })
    }
}

extension [String] {
    /// The list as YAML writes it on one line.
    var inList: String { "[\(joined(separator: ", "))]" }
}
