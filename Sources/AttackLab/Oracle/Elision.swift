/// Takes secrets out of what a report shows.
struct Elision: Sendable {
    private let secrets: [String]

    init(secrets: Set<String>) {
        self.secrets = secrets.filter { $0.utf8.count >= 8 }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Known secrets first, then whatever is as long and as shapeless as one.
    func callAsFunction(_ text: String) -> String {
        var text = text
        for secret in secrets where text.contains(secret) {
            text = text.replacing(secret, with: Self.short(secret))
        }
        return Self.shapeless(text)
    }

    private static func short(_ secret: some StringProtocol) -> String { "\(secret.prefix(4))…" }

    private static func shapeless(_ text: String) -> String {
        var result = ""
        var run = Substring()
        func flush() {
            let isSecret = run.utf8.count >= 32 && run.contains(where: \.isNumber) && run.contains(where: \.isLetter)
            result += isSecret ? short(run) : String(run)
            run = Substring()
        }
        for character in text {
            if character.isASCII, character.isLetter || character.isNumber || "-_".contains(character) {
                run.append(character)
            } else {
                flush()
                result.append(character)
            }
        }
        flush()
        return result
    }
}
