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
        logs,
    ].flatMap(\.self)

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
