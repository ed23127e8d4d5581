extension Request {
    /// Returns a request that consists of exactly these bytes.
    ///
    /// `method` determines how the response is parsed.
    static func raw(_ bytes: [UInt8], method: String = "GET") -> Request {
        var request = Request(method, "/")
        request.raw = bytes
        return request
    }

    static func raw(_ text: String, method: String = "GET") -> Request { raw(Array(text.utf8), method: method) }
}

extension AttackContext {
    /// The text of a valid body of `POST /v1/nonce`.
    var nonceText: String {
        #"{"client_id":"\#(lab.application.clientID)","provider":"\#(lab.application.provider)"}"#
    }

    /// A valid `POST /v1/nonce`.
    var nonceRequest: Request { .json("/v1/nonce", text: nonceText) }

    /// The bytes of a valid request that changes no state and keeps the connection open.
    var metadataBytes: [UInt8] {
        Array("GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: \(lab.server.host)\r\n\r\n".utf8)
    }

    /// Expects that a valid request succeeds within five seconds.
    func expectServed(while circumstance: String) async {
        let begin = ContinuousClock.now
        let reply = await lab.server.send(nonceRequest, within: .seconds(10))
        await expect(
            reply.answer?.status == 200, .dead, "While \(circumstance), POST /v1/nonce did not succeed.")
        await expect(
            begin.duration(to: .now) < .seconds(5), .slow,
            "While \(circumstance), POST /v1/nonce took longer than five seconds.")
    }

    /// Expects one of these statuses, and no internals in the response.
    func expectAnswer(_ reply: Reply, _ statuses: Set<Int>, to what: String, mayClose: Bool = false) async {
        switch reply {
        case .answer(let answer) where lab.pace != nil && answer.status == 429: await recorder.limit()
        case .answer(let answer):
            await expect(
                statuses.contains(answer.status), .wrongAnswer, "\(what): the response has status \(answer.status).")
            if let sign = Disclosure.sign(in: answer.text) {
                await found(.leaked, "\(what): the response reveals internals: \(sign)")
            }
        case .closed: await expect(mayClose, .wrongAnswer, "\(what): there was no response.")
        case .timedOut: await found(.slow, "\(what): there was no response in time.")
        }
    }
}
