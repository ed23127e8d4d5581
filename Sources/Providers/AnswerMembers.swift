package import Jansson
internal import Standards

extension String {
    /// Whether the text can be the name of a member, and no value.
    package var isPlainName: Bool {
        (1...40).contains(utf8.count)
            && utf8.allSatisfy { PercentEncoding.isUnreserved($0) && !(0x30...0x39).contains($0) }
    }
}

extension JSON {
    /// The names of members, which belong to the documentation of the provider; their values belong to the person.
    var namesForOperator: String {
        (object ?? [:]).keys.filter(\.isPlainName).sorted().prefix(12).joined(separator: ", ")
    }

    /// What members an answer has, as a clause; `nil` if their names may not be shown.
    ///
    /// Members that are `null` are not read.
    package var membersForOperator: String? {
        guard object?.isEmpty != true else { return "the answer has no members, or all of them are null" }
        let names = namesForOperator
        return names.isEmpty ? nil : "its members are \(names)"
    }

    /// The parts of an error answer in which codes and words stand: the answer itself, and what it has as `error`, `errors`, `detail`
    /// and the like, or as `data` with a number of an error.
    ///
    /// A text in a list stands for an object with this text as its `error`.
    package var errorObjects: [JSON] {
        let answer = withSmallInitials
        let data = answer["data"].flatMap { $0["error_code"] == nil ? nil : $0 }
        let members = [
            answer["error"], answer["errors"], answer["fault"], answer["fault"]?["detail"], answer["meta"],
            answer["error_response"], answer["ocs"]?["meta"], answer["detail"], data,
        ]
        let inner = members.compactMap(\.self).flatMap { member in member.array.map { Array($0.prefix(3)) } ?? [member]
        }
        let texts = (answer["errors"]?.array ?? []).prefix(3).filter { $0.string != nil }
        return [answer] + inner.filter { $0.object != nil } + texts.map { .object(["error": $0]) }
    }

    /// The object with its members also by names whose first letter is small: some frameworks begin each name with a capital.
    private var withSmallInitials: JSON {
        guard let members = object else { return self }
        let others = members.map { name, value in (name.prefix(1).lowercased() + name.dropFirst(), value) }
        return .object(members.merging(others) { own, _ in own })
    }
}
