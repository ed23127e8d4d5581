extension Request {
    /// These bytes and nothing else.
    ///
    /// - `method`: tells how the answer is to be read.
    static func raw(_ bytes: [UInt8], method: String = "GET") -> Request {
        var request = Request(method, "/")
        request.raw = bytes
        return request
    }

    static func raw(_ text: String, method: String = "GET") -> Request { raw(Array(text.utf8), method: method) }
}

extension Strike {
    /// The text of a good body of `POST /v1/nonce`.
    var nonceText: String {
        #"{"client_id":"\#(lab.application.clientID)","provider":"\#(lab.application.provider)"}"#
    }

    /// A good `POST /v1/nonce`.
    var nonceRequest: Request { .json("/v1/nonce", text: nonceText) }

    /// A good request that writes nothing, on a connection that stays open.
    var metadataBytes: [UInt8] {
        Array("GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: \(lab.server.host)\r\n\r\n".utf8)
    }

    /// A good request is answered soon, whatever else goes on.
    func expectServed(within limit: Duration, while circumstance: String) async {
        let begin = ContinuousClock.now
        let reply = await lab.server.send(nonceRequest, within: .seconds(10))
        await expect(
            reply.answer?.status == 200, .dead, "While \(circumstance), POST /v1/nonce was not answered 200.")
        await expect(
            begin.duration(to: .now) < limit, .slow, "While \(circumstance), POST /v1/nonce took longer than \(limit).")
    }

    /// An answer that came, held against what it must be.
    func expectAnswer(_ reply: Reply, _ statuses: Set<Int>, to what: String, mayClose: Bool = false) async {
        switch reply {
        case .answer(let answer) where lab.pace != nil && answer.status == 429: await recorder.limit()
        case .answer(let answer):
            await expect(statuses.contains(answer.status), .wrongAnswer, "\(what) was answered \(answer.status).")
            if let sign = Disclosure.sign(in: answer.text) {
                await found(.leaked, "The answer to \(what) tells of the inside: \(sign)")
            }
        case .closed: await expect(mayClose, .wrongAnswer, "\(what) was not answered.")
        case .timedOut: await found(.slow, "\(what) was not answered in time.")
        }
    }
}
