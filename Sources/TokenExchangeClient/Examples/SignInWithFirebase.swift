// An example for iOS. This project neither compiles nor runs it, because its build has no SDK of Apple and no Firebase SDK.
//
// It needs the products TokenExchangeClient, FirebaseAuth and FirebaseAppCheck. The client of the server's configuration
// has the redirect URI com.example.app:/oauth.

import FirebaseAppCheck
import FirebaseAuth
import SwiftUI
import TokenExchangeClient
import UIKit

/// Signs users in to Firebase with providers of a token-exchange server.
@MainActor
final class SignInModel: ObservableObject {
    @Published private(set) var user = Auth.auth().currentUser
    @Published var message: String?

    private let client: TokenExchangeClient

    init(server: URL) {
        client = TokenExchangeClient(
            server: server, clientID: "my-app",
            browser: .system(redirectURI: "com.example.app:/oauth") { Self.window },
            idToken: {
                guard let user = Auth.auth().currentUser else { throw CocoaError(.userCancelled) }
                return try await user.getIDToken()
            },
            appCheckToken: { try await AppCheck.appCheck().token(forcingRefresh: false).token })
    }

    func signIn(with provider: Provider) async {
        await report {
            try await self.enter(try await self.client.signIn(with: provider))
        }
    }

    /// Adds another way to sign in, and merges the account of the identity if there is one.
    func link(_ provider: Provider) async {
        await report {
            do {
                try await self.enter(try await self.client.link(with: provider))
            } catch let error as TokenExchangeError where error.reason == .credentialAlreadyInUse {
                guard let pending = error.pendingCredential else { throw error }
                let merged = try await self.client.merge(pending)
                try await Auth.auth().signIn(withCustomToken: merged.customToken ?? "")
            }
        }
    }

    /// The Firebase session of the result has the claims of the new identity.
    private func enter(_ result: SignInResult) async throws {
        user = try await Auth.auth().signIn(withCustomToken: result.customToken ?? "").user
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

    private static var window: UIWindow {
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        return scenes.compactMap(\.keyWindow).first ?? UIWindow()
    }
}

struct SignInView: View {
    @StateObject var model: SignInModel

    var body: some View {
        VStack {
            Button("Sign in with Yahoo") { Task { await model.signIn(with: .yahoo) } }
            Button("Sign in with X") { Task { await model.signIn(with: .twitter) } }
            if let message = model.message { Text(message) }
        }
    }
}
