extension Outcome {
    /// The shots that are kept, one after the other, with secrets elided.
    package var transcript: String {
        shots.map { shot in
            let request = String(decoding: shot.request.bytes(host: "server").prefix(2000), as: UTF8.self)
            let reply =
                switch shot.reply {
                case .answer(let answer):
                    "\(answer.status)\n" + answer.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
                        + "\n\n" + answer.text.prefix(2000)
                case .closed: "(the connection ended)"
                case .timedOut: "(no answer in time)"
                }
            return elision("> \(request)\n< \(reply)")
        }.joined(separator: "\n\n")
    }
}
