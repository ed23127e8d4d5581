import Jansson
import Transport

/// A sign-in on a device without a browser: it shows a code and polls until the user has entered it elsewhere (RFC
/// 8628).
struct DeviceFlow {
    let client: RunClient

    func begin() async {
        guard
            let document = await client.success(.metadata, ServerMetadata.request(to: client.server))
        else { return }
        let metadata = ServerMetadata(document, of: client.server)
        let answer = await client.success(
            .deviceAuthorization, .form(metadata.deviceAuthorization, [("client_id", HomeClient.television)]),
            note: "The user_code is short, for people. The device_code is long, and only the television knows it.")
        guard let answer else { return }
        guard metadata.isFromServer, let deviceCode = answer["device_code"]?.string,
            let userCode = answer["user_code"]?.string,
            let verificationURI = answer["verification_uri"]?.string.flatMap(pageOfServer)
        else {
            await client.store.finish(client.run, with: nil)
            return
        }
        await client.store.move(
            client.run,
            to: .polling(
                Run.Device(
                    deviceCode: deviceCode, userCode: userCode, verificationURI: verificationURI,
                    verificationURIComplete: answer["verification_uri_complete"]?.string.flatMap(pageOfServer)
                        ?? verificationURI,
                    tokenEndpoint: metadata.token)))
    }

    /// Polls once.
    ///
    /// The flow continues while the answer is `authorization_pending` or `slow_down` (§3.5).
    func poll(_ device: Run.Device) async {
        let outcome = await client.send(
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
                if !goesOn { await client.store.finish(client.run, with: nil) }
                return
            }
            await client.store.finish(client.run, with: answer)
        case .noAnswer, .underWay, .elsewhere:
            return
        case nil:
            await client.store.finish(client.run, with: nil)
        }
    }

    /// Returns the URL if it belongs to the server.
    ///
    /// The page links to no other.
    private func pageOfServer(_ url: String) -> String? {
        url.hasPrefix(client.server.publicURL + "/") ? url : nil
    }
}
