import Jansson
import Transport

/// A sign-out of a user who is signed in on two devices: what ends, and what the server answers afterwards.
struct SignOutFlow {
    let client: RunClient

    /// Signs the user in, and begins two sessions at Firebase.
    ///
    /// The sign-out is a step of its own, because it ends the sessions of earlier seconds.
    func begin() async {
        let account = AccountFlow(client: client)
        guard let answer = await account.signIn(client.scenario.user, at: "yahoo.com"),
            let token = answer["custom_token"], let phone = await session(token, on: "phone"),
            let laptop = await session(token, on: "laptop")
        else { return }
        await client.store.move(client.run, to: .signedIn(phone: phone, laptop: laptop))
    }

    /// Signs out on the phone, and then uses what the devices still have.
    func end(phone: Run.Session, laptop: Run.Session) async {
        let accounts = AccountFlow(client: client).accounts
        let signOut = { accounts.request("/v1/account/signout", ["client_id": .string(HomeClient.id)], by: $0) }
        guard
            await client.success(
                .signOut, signOut(phone.idToken), note: "The phone signs the user out, with its ID token.") != nil
        else { return }
        for (name, session) in [("phone", phone), ("laptop", laptop)] {
            _ = await client.send(
                .refresh,
                .json(
                    client.origin + "/google/refresh", .object(["refresh_token": .string(session.refreshToken)])),
                note: "The \(name) uses its refresh token.")
        }
        _ = await client.send(
            .call,
            RecordedRequest(
                method: .get, url: client.server.publicURL + "/v1/account?client_id=" + HomeClient.id,
                header: [UserAccounts.authorization(laptop.idToken)]),
            note: "The laptop reads the account with its ID token.")
        _ = await client.send(
            .signOut, signOut(laptop.idToken), note: "The laptop makes a change with its ID token: it signs out, too.")
        await client.store.finish(client.run, with: nil)
    }

    private func session(_ token: JSON, on device: String) async -> Run.Session? {
        let answer = await client.success(
            .firebaseSignIn, .json(client.origin + "/google/sign-in", .object(["token": token])),
            note: "The \(device) gets an ID token, which is valid for an hour, and a refresh token for further ones.")
        guard let answer, let idToken = answer["idToken"]?.string, let refreshToken = answer["refreshToken"]?.string
        else { return nil }
        return Run.Session(idToken: idToken, refreshToken: refreshToken)
    }
}

/// The panel of a run that signs a user out: the button, and afterwards what has ended.
struct SignOutView {
    private let run: Run
    /// The steps after the sign-out; `nil` before it.
    private let afterwards: ArraySlice<Step>?

    /// Returns `nil` unless the user is signed in on two devices or has signed out.
    init?(run: Run) {
        guard run.scenario == .signOut else { return nil }
        self.run = run
        if case .signedIn = run.stage {
            afterwards = nil
        } else if let index = run.steps.firstIndex(where: { $0.kind == .signOut && $0.outcome.success != nil }) {
            afterwards = run.steps[(index + 1)...]
        } else {
            return nil
        }
    }

    var html: String {
        guard let afterwards else { return beginning }
        let items = afterwards.map { step in
            """
            <li><a href="#step-\(step.number)">\(Page.escape(step.note ?? step.kind.title))</a> \
            \(OutcomeView(outcome: step.outcome).line)</li>
            """
        }
        return """
            <section class="panel accepted" aria-labelledby="head">
            <h2 id="head">Signed out on every device</h2>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            \(Self.explanation)
            </section>
            """
    }

    /// The effects of a sign-out, as HTML.
    static let explanation = """
        <p>A sign-out ends the refresh tokens of every session of the user. An ID token cannot be taken back: until it expires, \
        after at most an hour, the server accepts it for calls that only read, unless <code>firebase.check_revoked</code> is \
        <code>true</code>. A call that changes the account is refused with <code>id_token_revoked</code>.</p>
        """

    private var beginning: String {
        let name = Page.escape(run.scenario.user.name)
        return """
            <section class="panel" aria-labelledby="head">
            <h2 id="head">\(name) is signed in on a phone and on a laptop</h2>
            <p>Each device has an ID token and a refresh token of its own session.</p>
            <form method="post" action="/runs/\(run.id)/signout">
            <button type="submit" class="primary">Sign out everywhere</button>
            </form>
            </section>
            """
    }
}
