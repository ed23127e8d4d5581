/// A drawing of a run: who sent a message to whom, in order.
///
/// Each arrow is a link to its step below the drawing.
struct FlowDrawing {
    private static let columnWidth = 190
    private static let rowHeight = 40
    private static let margin = 80
    private static let head = 44
    /// The width of a character of a label.
    private static let characterWidth = 8

    private let steps: [Step]
    private let participants: [Participant]

    /// Returns `nil` for a run without steps.
    init?(_ steps: [Step]) {
        guard !steps.isEmpty else { return nil }
        self.steps = steps
        participants = Participant.allCases.filter { participant in
            steps.contains { $0.kind.sender == participant || $0.kind.receiver == participant }
        }
    }

    var html: String {
        let width = 2 * Self.margin + (participants.count - 1) * Self.columnWidth
        let height = Self.head + (steps.count + 1) * Self.rowHeight
        let lines = participants.map { participant in
            let x = column(participant)
            return """
                <text class="name" x="\(x)" y="24" text-anchor="middle">\(participant.title)</text>
                <line class="life" x1="\(x)" y1="\(Self.head - 8)" x2="\(x)" y2="\(height - 12)" />
                """
        }
        return """
            <section class="drawing" aria-label="The messages in their order; each one leads to its step" tabindex="0">
            <svg viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)">
            \(lines.joined(separator: "\n"))
            \(steps.enumerated().map { arrow($1, row: $0) }.joined(separator: "\n"))
            </svg>
            </section>
            """
    }

    private func column(_ participant: Participant) -> Int {
        Self.margin + (participants.firstIndex(of: participant) ?? 0) * Self.columnWidth
    }

    private func arrow(_ step: Step, row: Int) -> String {
        let (from, to) = (column(step.kind.sender), column(step.kind.receiver))
        let y = Self.head + (row + 1) * Self.rowHeight
        let back = to > from ? -9 : 9
        let path = step.request.endpoint.split(separator: "/").dropFirst(2).joined(separator: "/")
        let label = "\(step.number). \(step.request.method.rawValue) /\(path)"
        let room = abs(to - from) / Self.characterWidth
        let shown = label.count > room ? label.prefix(room - 1) + "…" : label[...]
        let sentence = "Step \(step.number): \(step.kind.title)"
        return """
            <a class="arrow\(step.outcome.isRefusal ? " stopped" : "")" href="#step-\(step.number)">
            <title>\(Page.escape(sentence))</title>
            <rect x="\(min(from, to))" y="\(y - 24)" width="\(abs(to - from))" height="\(Self.rowHeight - 10)" />
            <text x="\((from + to) / 2)" y="\(y - 8)" text-anchor="middle">\(Page.escape(String(shown)))</text>
            <line x1="\(from)" y1="\(y)" x2="\(to)" y2="\(y)" />
            <polygon points="\(to),\(y) \(to + back),\(y - 5) \(to + back),\(y + 5)" />
            </a>
            """
    }
}
