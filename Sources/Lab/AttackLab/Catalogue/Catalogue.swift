/// All attacks, in the order of the stages.
package enum Catalogue {
    package static let all: [Attack] = [
        start,
        callback,
        code,
        idToken,
        oauth1,
        oauth2,
        handoff,
        tokenExchange,
        device,
        link,
        anonymous,
        minting,
        keys,
        keySets,
        http,
        provider,
        storage,
        crash,
        exhaustion,
        logs, blackBox,
    ].flatMap(\.self)

    /// Without those that wait for deadlines, and of the variants of one attack only the first.
    package static func quick(_ attacks: [Attack]) -> [Attack] {
        var seen: Set<Substring> = []
        return attacks.filter { attack in
            !attack.needs.contains(.patience) && seen.insert(attack.id[..<stem(of: attack.id)]).inserted
        }
    }

    /// Where the small letter of a variant begins; the end where there is none.
    private static func stem(of id: String) -> String.Index {
        guard let last = id.last, last.isLowercase, let letter = id.indices.last,
            letter > id.startIndex, id[id.index(before: letter)].isNumber
        else { return id.endIndex }
        return letter
    }

    /// Those of these ids; a name without its small letter, or a prefix such as `IDT-`, stands for all that begin so.
    package static func attacks(named names: [String]) -> [Attack] {
        all.filter { attack in
            names.contains { name in
                attack.id == name
                    || attack.id.hasPrefix(name)
                        && !(attack.id.dropFirst(name.count).first?.isNumber ?? false
                            && name.last?.isNumber ?? false)
            }
        }
    }
}
