import Jansson
import Transport

/// The life of an account that begins as a guest's: link, conflict, merge, unlink and delete.
///
/// Frida has an account by X from before. All calls are those of an application, so that no browser is needed.
struct GuestFlow {
    let account: AccountFlow

    private var client: RunClient { account.client }

    func run() async {
        await account.accounts.remove(of: client.scenario.user)
        guard await signInWithX(), let bearer = await guest(), await linkYahoo(by: bearer),
            let pending = await linkX(by: bearer), await merge(pending, by: bearer),
            await client.success(
                .unlink, account.accounts.request("/v1/account/unlink", ["provider": .string("yahoo.com")], by: bearer),
                note: "The next sign-in with this identity gets a new account.") != nil
        else { return }
        await client.finish(
            .deletion, account.accounts.deletion(by: bearer),
            note: "The uid is never assigned again, and every session of the account ends.")
    }

    /// Makes the account that the guest meets later.
    private func signInWithX() async -> Bool {
        await account.signIn(
            client.scenario.user, at: "twitter.com", protocol: "oauth1",
            note: "On her phone, Frida signed in with X some days ago. She has an account, with its own uid.") != nil
    }

    /// Returns the Firebase ID token of a new guest; `nil` if the run has ended.
    private func guest() async -> String? {
        let members = JSON.object(["client_id": .string(HomeClient.id)])
        let answer = await client.success(
            .anonymous, .json(client.server.publicURL + "/v1/anonymous", members),
            note: "On a television, Frida looks around without signing in.")
        guard let token = answer?["custom_token"] else { return nil }
        let session = await client.success(
            .firebaseSignIn, .json(client.origin + "/google/sign-in", .object(["token": token])),
            note: "The stand-in of Firebase returns the ID token with which the application makes the next calls.")
        return session?["idToken"]?.string
    }

    private func linkYahoo(by bearer: String) async -> Bool {
        guard let proof = await account.proof(of: client.scenario.user, at: "yahoo.com") else { return false }
        return await client.success(
            .link, account.accounts.request("/v1/account/link", proof, by: bearer),
            note: "The guest becomes a user and keeps the uid, and so everything that is stored under it.") != nil
    }

    /// Returns the pending credential of the conflict; `nil` if there was none.
    private func linkX(by bearer: String) async -> String? {
        guard let proof = await account.proof(of: client.scenario.user, at: "twitter.com", protocol: "oauth1"),
            let outcome = await client.send(
                .conflict, account.accounts.request("/v1/account/link", proof, by: bearer),
                note: """
                    The identity belongs to Frida’s other account. The answer names it (existing_uid), so that the application \
                    can move its data, and has a pending_credential with which Frida need not sign in again.
                    """)
        else { return nil }
        guard let body = outcome.response?.body, let pending = (try? JSON.parse(body))?["pending_credential"]?.string
        else {
            await client.store.finish(client.run, with: nil)
            return nil
        }
        return pending
    }

    private func merge(_ pending: String, by bearer: String) async -> Bool {
        let members: [String: JSON] = ["client_id": .string(HomeClient.id), "pending_credential": .string(pending)]
        return await client.success(
            .merge, account.accounts.request("/v1/account/merge", members, by: bearer),
            note: "The identities of the other account move to this one, and the emptied account is deleted.") != nil
    }
}

/// The panel of a run that ends with the deletion of its account.
struct DeletionView {
    private let run: Run

    /// Returns `nil` unless the last step has deleted the account.
    init?(run: Run) {
        guard let last = run.steps.last, last.kind == .deletion, last.outcome.success != nil else { return nil }
        self.run = run
    }

    var html: String {
        """
        <section class="panel accepted" aria-labelledby="head">
        <h2 id="head">From a guest to a user, and gone again</h2>
        <p>One account was a guest’s, got an identity, took over another account, lost an identity and was deleted. Its uid \
        stayed the same from the first call to the last.</p>
        \(DecisiveReplay(run: run)?.html ?? "")
        </section>
        """
    }
}
