internal import ArgumentParser
internal import AttackLab

/// Mistakes as they are written on the command line.
enum MistakeList {
    /// - Throws: Exit 64 for a name that means nothing.
    static func read(_ text: String) throws -> Set<Mistake> {
        switch text {
        case "all": return Set(Mistake.allCases)
        case "none": return []
        default:
            var mistakes: Set<Mistake> = []
            for name in text.split(separator: ",") {
                guard let mistake = Mistake(rawValue: String(name)) else {
                    throw ValidationError("There is no mistake \(name); token-exchange-lab naive --list names them.")
                }
                mistakes.insert(mistake)
            }
            return mistakes
        }
    }
}
