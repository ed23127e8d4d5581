/// One request and its answer as a report shows them: in text, cut to a readable length, with secrets elided.
struct ShotView: Sendable {
    let request: String
    let answer: String
    /// The response of a correct server; nil for a step that is no attack.
    let expectation: String?
    let findings: [String]
    /// The request for a shell; nil where curl cannot send it.
    let curl: String?

    init(_ shot: Shot, _ elide: Elision) {
        let sent = shot.request.bytes(host: Wire(base: shot.base).host)
        request = Self.cut(elide(Self.readable(sent)), total: sent.count)
        switch shot.reply {
        case .answer(let received):
            let head = received.fields.map { "\($0.name): \($0.value)\n" }.joined()
            let text = "HTTP/1.1 \(received.status)\n\(head)\n\(Self.readable(received.body))"
            answer = Self.cut(elide(text), total: head.utf8.count + received.body.count)
        case .closed: answer = "(The connection ended without an answer.)"
        case .timedOut: answer = "(No answer came in time.)"
        }
        expectation = shot.expectation
        findings = shot.findings.map { elide($0.sentence) }
        curl = CurlCommand.text(shot.request, base: shot.base).map { elide($0) }
    }

    private static let shownLength = 1500
    /// More than is shown, so that a secret at the end of that is still whole where it is looked for.
    private static let readLength = 16384

    private static func cut(_ text: String, total: Int) -> String {
        text.utf8.count <= shownLength ? text : text.prefix(shownLength) + "… (\(total) octets in all)"
    }

    /// Control characters are named, so that what is shown is what was sent.
    private static func readable(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes.prefix(readLength), as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x0A: text += "\n"
            case 0x0D: break
            case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF:
                text += "<" + String(scalar.value, radix: 16) + ">"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
