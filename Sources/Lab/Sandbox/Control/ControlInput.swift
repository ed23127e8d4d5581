import Jansson

/// The members of an order to the control listener, each taken once; what is left over is an error.
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

    /// An array of strings; empty where the member is absent.
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

    /// An object; empty where the member is absent.
    mutating func members(_ name: String) throws(ControlError) -> [String: JSON] {
        guard let value = take(name) else { return [:] }
        guard let object = value.object else { throw .invalid(member: name, expected: "an object") }
        return object
    }

    /// An object of strings; empty where the member is absent.
    mutating func strings(in name: String) throws(ControlError) -> [String: String] {
        let object = try members(name)
        let strings = object.compactMapValues(\.string)
        guard strings.count == object.count else { throw .invalid(member: name, expected: "an object of strings") }
        return strings
    }

    /// One of a closed set of words.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, _: Word.Type = Word.self
    ) throws(ControlError) -> Word? where Word.RawValue == String {
        guard let string = try string(name) else { return nil }
        guard let word = Word(rawValue: string) else {
            throw .invalid(member: name, expected: Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }

    /// An object to be read in its turn.
    mutating func input(_ name: String) throws(ControlError) -> ControlInput? {
        guard let value = take(name) else { return nil }
        guard let object = value.object else { throw .invalid(member: name, expected: "an object") }
        return try ControlInput(.object(object))
    }

    /// An array of objects to be read in their turn; nil where the member is absent.
    mutating func inputs(_ name: String) throws(ControlError) -> [ControlInput]? {
        guard let value = take(name) else { return nil }
        guard let elements = value.array else { throw .invalid(member: name, expected: "an array of objects") }
        var inputs: [ControlInput] = []
        for element in elements { inputs.append(try ControlInput(element)) }
        return inputs
    }

    /// A whole number, or its decimal digits as a string (ProtoJSON's int64).
    mutating func int64(_ name: String) throws(ControlError) -> Int64? {
        guard let value = take(name) else { return nil }
        guard let number = value.integer ?? value.string.flatMap({ Int64($0) }) else {
            throw .invalid(member: name, expected: "a whole number")
        }
        return number
    }

    /// Takes members away that change nothing here.
    mutating func ignore(_ names: String...) {
        for name in names { members[name] = nil }
    }

    /// Refuses what no one asked for, so that a misspelt order does not pass for a carried-out one.
    func finish() throws(ControlError) {
        if let name = members.keys.min() { throw .unknownMember(name) }
    }

    private mutating func take(_ name: String) -> JSON? {
        members.removeValue(forKey: name)
    }
}

/// Why an order to the control listener was not carried out.
enum ControlError: Error, Equatable {
    case notJSON
    /// Also where a member that is required is absent.
    case invalid(member: String, expected: String)
    case unknownMember(String)
    /// The stand-in itself refused, in its own words.
    case refused(String)

    var sentence: String {
        switch self {
        case .notJSON: "The body is not a JSON object of type application/json."
        case .invalid(let member, let expected): "\(member): expected \(expected)."
        case .unknownMember(let name): "\(name): no such member here."
        case .refused(let reason): reason
        }
    }
}
