import Jansson
import Transport

/// Something without a browser shows a code, and asks until somebody has entered it elsewhere (RFC 8628).
struct DeviceFlow {
    let conversation: Conversation

    func begin() async {
        guard
            let document = await conversation.success(.metadata, ServerMetadata.request(to: conversation.server))
        else { return }
        let metadata = ServerMetadata(document, of: conversation.server)
        let answer = await conversation.success(
            .deviceAuthorization, .form(metadata.deviceAuthorization, [("client_id", HomeClient.television)]),
            note: "The user_code is for people and short; the device_code is for the television alone, and long.")
        guard let answer else { return }
        guard metadata.isOfServer, let deviceCode = answer["device_code"]?.string,
            let userCode = answer["user_code"]?.string,
            let verificationURI = answer["verification_uri"]?.string.flatMap(pageOfServer)
        else {
            await conversation.store.finish(conversation.run, with: nil)
            return
        }
        await conversation.store.move(
            conversation.run,
            to: .polling(
                Run.Device(
                    deviceCode: deviceCode, userCode: userCode, verificationURI: verificationURI,
                    verificationURIComplete: answer["verification_uri_complete"]?.string.flatMap(pageOfServer)
                        ?? verificationURI,
                    tokenEndpoint: metadata.token)))
    }

    /// One question; the flow goes on while the answer is `authorization_pending` or `slow_down` (§3.5).
    func poll(_ device: Run.Device) async {
        let outcome = await conversation.send(
            .devicePoll,
            .form(
                device.tokenEndpoint,
                [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                    ("device_code", device.deviceCode), ("client_id", HomeClient.television),
                ]))
        switch outcome {
        case .answer(let response):
            guard let answer = outcome?.success else {
                let goesOn =
                    ["authorization_pending", "slow_down"].contains(Verdict(response).error)
                    || response.status >= 500
                if !goesOn { await conversation.store.finish(conversation.run, with: nil) }
                return
            }
            await conversation.store.finish(conversation.run, with: answer)
        case .noAnswer, .underWay, .elsewhere:
            return
        case nil:
            await conversation.store.finish(conversation.run, with: nil)
        }
    }

    /// Only a page of the server is linked.
    private func pageOfServer(_ url: String) -> String? {
        url.hasPrefix(conversation.server.publicURL + "/") ? url : nil
    }
}
