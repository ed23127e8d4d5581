// An example for iOS 15. This project type-checks it against declarations that it wrote itself, and does not run it, because its
// build has no SDK of Apple and no Firebase SDK.
//
// It needs the products TokenExchangeClient, FirebaseAuth and FirebaseAppCheck. The client of the server's configuration
// has the redirect URI com.example.app:/oauth.

import Combine
import FirebaseAppCheck
import FirebaseAuth
import Foundation
import SwiftUI
import TokenExchangeClient

/// Signs users in to Firebase with providers of a token-exchange server.
@MainActor
final class SignInModel: ObservableObject {
    @Published private(set) var user = Auth.auth().currentUser
    @Published var message: String?
    /// Whether the user is asked to merge two accounts.
    @Published var isAsking = false

    /// The identity of the other account.
    private var conflict: PendingCredential?
    private let client: TokenExchangeClient

    init(server: URL) {
        client = TokenExchangeClient(
            server: server, clientID: "my-app", browser: .system(redirectURI: "com.example.app:/oauth"),
            idToken: {
                guard let user = Auth.auth().currentUser else { throw CocoaError(.userCancelled) }
                return try await user.getIDToken()
            },
            appCheckToken: { try await AppCheck.appCheck().token(forcingRefresh: false).token })
    }

    func signIn(with provider: Provider) async {
        await report { try await self.enter(try await self.client.signIn(with: provider).tokens) }
    }

    /// Adds another way to sign in.
    ///
    /// If the identity belongs to another account, the view asks whether to merge it.
    func link(_ provider: Provider) async {
        await report {
            do {
                try await self.enter(try await self.client.link(with: provider).tokens)
            } catch let error as TokenExchangeError where error.reason == .credentialAlreadyInUse {
                guard let pending = error.pendingCredential else { throw error }
                self.conflict = pending
                self.isAsking = true
            }
        }
    }

    /// Moves the identities of the other account to this one, and deletes the other account permanently.
    func merge() async {
        guard let pending = conflict else { return }
        conflict = nil
        await report { try await self.enter(try await self.client.merge(pending).tokens) }
    }

    /// The Firebase session of the result has the claims of the new identity.
    private func enter(_ tokens: FirebaseTokens) async throws {
        user = try await Auth.auth().signIn(withCustomToken: tokens.customToken).user
    }

    private func report(_ step: @MainActor () async throws -> Void) async {
        do {
            message = nil
            try await step()
        } catch let error as TokenExchangeError where error.reason == .cancelled || error.reason == .accessDenied {
            // The user knows.
        } catch {
            message = error.localizedDescription
        }
    }
}

struct SignInView: View {
    @StateObject var model: SignInModel

    var body: some View {
        VStack {
            if model.user == nil {
                Button("Sign in with Yahoo") { Task { await model.signIn(with: .yahoo) } }
                Button("Sign in with X") { Task { await model.signIn(with: .x) } }
            } else {
                Button("Add X") { Task { await model.link(.x) } }
            }
            if let message = model.message { Text(message) }
        }
        .confirmationDialog("This sign-in belongs to another account.", isPresented: $model.isAsking) {
            Button("Merge the accounts", role: .destructive) { Task { await model.merge() } }
        } message: {
            Text("Its other data is deleted permanently.")
        }
    }
}
