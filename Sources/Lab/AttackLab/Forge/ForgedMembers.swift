/// The members of a JOSE header or of a claims set, which can be changed, taken away and doubled.
struct ForgedMembers: Sendable {
    private(set) var members: [(name: String, value: Forged)]
    /// Stands for all members.
    var raw: [UInt8]?

    init(_ members: [(name: String, value: Forged)]) { self.members = members }

    /// The first member of that name; setting replaces it where it stands, nil takes all of the name away.
    subscript(name: String) -> Forged? {
        get { members.first { $0.name == name }?.value }
        set {
            guard let newValue else { return members.removeAll { $0.name == name } }
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                members.append((name, newValue))
            }
        }
    }

    /// One more member, though there may be one of that name.
    mutating func append(_ name: String, _ value: Forged) { members.append((name, value)) }

    mutating func prepend(_ name: String, _ value: Forged) { members.insert((name, value), at: 0) }

    var bytes: [UInt8] { raw ?? Array(Forged.object(members).json.utf8) }
}
