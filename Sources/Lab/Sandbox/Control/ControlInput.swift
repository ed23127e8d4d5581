import Jansson

/// The members of a command, each read once.
///
/// Members that were not read are an error.
struct ControlInput {
    private var members: [String: JSON]

    init(_ value: JSON) throws(ControlError) {
        guard case .object(let members) = value else { throw .notJSON }
        self.members = members
    }

    mutating func string(_ name: String) throws(ControlError) -> String? {
        guard let value = take(name) else { return nil }
        guard let string = value.string else { throw .invalid(member: name, expected: "a string") }
        return string
    }

    mutating func requiredString(_ name: String) throws(ControlError) -> String {
        guard let string = try string(name) else { throw .invalid(member: name, expected: "a string") }
        return string
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(ControlError) -> Int64? {
        guard let value = take(name) else { return nil }
        guard let integer = value.integer, range.contains(integer) else {
            throw .invalid(member: name, expected: "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    mutating func bool(_ name: String) throws(ControlError) -> Bool? {
        guard let value = take(name) else { return nil }
        guard let bool = value.bool else { throw .invalid(member: name, expected: "true or false") }
        return bool
    }

    /// An array of strings; empty if the member is absent.
    mutating func strings(_ name: String) throws(ControlError) -> [String] {
        try optionalStrings(name) ?? []
    }

    mutating func optionalStrings(_ name: String) throws(ControlError) -> [String]? {
        guard let value = take(name) else { return nil }
        guard let strings = value.array?.map(\.string), !strings.contains(nil) else {
            throw .invalid(member: name, expected: "an array of strings")
        }
        return strings.compactMap(\.self)
    }

    /// An object; empty if the member is absent.
    mutating func members(_ name: String) throws(ControlError) -> [String: JSON] {
        guard let value = take(name) else { return [:] }
        guard let object = value.object else { throw .invalid(member: name, expected: "an object") }
        return object
    }

    /// An object of strings; empty if the member is absent.
    mutating func strings(in name: String) throws(ControlError) -> [String: String] {
        let object = try members(name)
        let strings = object.compactMapValues(\.string)
        guard strings.count == object.count else { throw .invalid(member: name, expected: "an object of strings") }
        return strings
    }

    /// A string that is one of the cases of `Word`.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, _: Word.Type = Word.self
    ) throws(ControlError) -> Word? where Word.RawValue == String {
        guard let string = try string(name) else { return nil }
        guard let word = Word(rawValue: string) else {
            throw .invalid(member: name, expected: Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }

    /// An object, whose members are read in the same way.
    mutating func input(_ name: String) throws(ControlError) -> ControlInput? {
        guard let value = take(name) else { return nil }
        guard let object = value.object else { throw .invalid(member: name, expected: "an object") }
        return try ControlInput(.object(object))
    }

    /// An array of objects; `nil` if the member is absent.
    mutating func inputs(_ name: String) throws(ControlError) -> [ControlInput]? {
        guard let value = take(name) else { return nil }
        guard let elements = value.array else { throw .invalid(member: name, expected: "an array of objects") }
        var inputs: [ControlInput] = []
        for element in elements { inputs.append(try ControlInput(element)) }
        return inputs
    }

    /// An integer, or its decimal digits as a string (int64 in ProtoJSON).
    mutating func int64(_ name: String) throws(ControlError) -> Int64? {
        guard let value = take(name) else { return nil }
        guard let number = value.integer ?? value.string.flatMap({ Int64($0) }) else {
            throw .invalid(member: name, expected: "a whole number")
        }
        return number
    }

    /// Removes members that have no effect here.
    mutating func ignore(_ names: String...) {
        for name in names { members[name] = nil }
    }

    /// Throws if members are left, because a misspelled member would otherwise be ignored silently.
    func finish() throws(ControlError) {
        if let name = members.keys.min() { throw .unknownMember(name) }
    }

    private mutating func take(_ name: String) -> JSON? {
        members.removeValue(forKey: name)
    }
}

/// The reason why a command of the control listener failed.
enum ControlError: Error, Equatable {
    case notJSON
    /// The member has a wrong value, or it is required and absent.
    case invalid(member: String, expected: String)
    case unknownMember(String)
    /// The stand-in refused the command, with this text.
    case refused(String)

    var sentence: String {
        switch self {
        case .notJSON: "The body must be a JSON object with the type application/json."
        case .invalid(let member, let expected): "\(member): Expected \(expected)."
        case .unknownMember(let name): "\(name): This member is unknown."
        case .refused(let reason): reason
        }
    }
}
