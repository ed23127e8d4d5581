/// One request and its answer as a report shows them: in text, cut to a readable length, with secrets elided.
struct ShotView: Sendable {
    let request: String
    let answer: String
    /// What a correct server answers; nil for a step that anybody may take.
    let expectation: String?
    let findings: [String]
    /// The request for a shell; nil where curl cannot send it.
    let curl: String?

    init(_ shot: Shot, _ elide: Elision) {
        let host = Wire(base: shot.base).host
        request = elide(Self.readable(shot.request.bytes(host: host)))
        answer =
            switch shot.reply {
            case .answer(let answer):
                elide(
                    Self.cut(
                        "HTTP/1.1 \(answer.status)\n"
                            + answer.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") + "\n\n"
                            + Self.readable(answer.body)))
            case .closed: "(The connection ended without an answer.)"
            case .timedOut: "(No answer came in time.)"
            }
        expectation = shot.expectation
        findings = shot.findings.map { elide($0.sentence) }
        curl = CurlCommand.text(shot.request, base: shot.base).map { elide($0) }
    }

    private static let length = 1500

    private static func cut(_ text: String) -> String {
        text.count <= length ? text : text.prefix(length) + "… (\(text.count) characters in all)"
    }

    /// Control characters are named, so that what is shown is what was sent.
    private static func readable(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x0A: text += "\n"
            case 0x0D: break
            case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF:
                text += "<" + String(scalar.value, radix: 16) + ">"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return cut(text)
    }
}
