// An example for iOS 15. This project type-checks it against declarations that it wrote itself, and does not run it, because its
// build has no SDK of Apple and no Firebase SDK.
//
// It needs the products TokenExchangeClient, FirebaseCore, FirebaseAuth and FirebaseAppCheck, and the file
// GoogleService-Info.plist of the Firebase project. The client of the server's configuration has the redirect URI
// com.example.app:/oauth.

import Combine
import FirebaseAppCheck
import FirebaseAuth
import FirebaseCore
import Foundation
import SwiftUI
import TokenExchangeClient

@main
struct ExampleApp: App {
    private let server = URL(string: "https://auth.example.com")

    init() {
        #if targetEnvironment(simulator)
            // App Check has no attestation in the simulator. Enter the token that this prints in the Firebase console.
            AppCheck.setAppCheckProviderFactory(AppCheckDebugProviderFactory())
        #endif
        // Auth.auth() ends a program that has not called it.
        FirebaseApp.configure()
    }

    var body: some Scene {
        WindowGroup {
            if let server { SignInView(model: SignInModel(server: server, usesAppCheck: true)) }
        }
    }
}

/// Signs users in to Firebase with providers of a token-exchange server.
@MainActor
final class SignInModel: ObservableObject {
    /// The uid of the Firebase user.
    @Published private(set) var uid: String?
    @Published var message: String?
    /// Whether the user is asked to merge two accounts.
    @Published var isAsking = false
    /// The second factor that is being added.
    @Published var enrollment: FactorEnrollment?
    @Published var recoveryCodes: [String] = []

    /// The identity of the other account.
    private var conflict: PendingCredential?
    private var listener: (any NSObjectProtocol)?
    private let client: TokenExchangeClient

    /// Makes a model.
    ///
    /// - Parameters:
    ///   - server: The server's `public_url`.
    ///   - usesAppCheck: Whether the client has `app_check` in the configuration of the server.
    init(server: URL, usesAppCheck: Bool) {
        let appCheckToken: TokenExchangeClient.TokenSource = {
            try await AppCheck.appCheck().token(forcingRefresh: false).token
        }
        client = TokenExchangeClient(
            server: server, clientID: "my-app", browser: .system(redirectURI: "com.example.app:/oauth"),
            idToken: {
                guard let user = Auth.auth().currentUser else { throw CocoaError(.userCancelled) }
                return try await user.getIDToken()
            },
            appCheckToken: usesAppCheck ? appCheckToken : nil)
        listener = Auth.auth().addStateDidChangeListener { [weak self] _, user in
            let uid = user?.uid
            Task { @MainActor in self?.uid = uid }
        }
    }

    func signIn(with provider: Provider) async {
        await report { try await self.enter(try await self.client.signIn(with: provider).tokens) }
    }

    func signOut() {
        do {
            try Auth.auth().signOut()
        } catch {
            message = error.localizedDescription
        }
    }

    /// Adds another way to sign in.
    ///
    /// If the identity belongs to another account, the view asks whether to merge it.
    func link(_ provider: Provider) async {
        await report {
            do {
                try await self.afterRecentSignIn {
                    try await self.enter(try await self.client.link(with: provider).tokens)
                }
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

    /// Begins to add an authenticator application.
    func addSecondFactor() async {
        await report {
            try await self.afterRecentSignIn { self.enrollment = try await self.client.addSecondFactor() }
        }
    }

    /// Ends it with the first code of the authenticator application.
    func confirm(_ code: String) async {
        guard let enrollment else { return }
        await report {
            self.recoveryCodes = try await self.client.confirmSecondFactor(enrollment, totp: code)
            self.enrollment = nil
        }
    }

    /// The Firebase session of the result has the claims of the new identity.
    private func enter(_ tokens: FirebaseTokens) async throws {
        _ = try await Auth.auth().signIn(withCustomToken: tokens.customToken)
    }

    /// Makes a call, and signs in again and repeats it if the session is too old or has not proven the second factor.
    private func afterRecentSignIn(_ call: @MainActor () async throws -> Void) async throws {
        do {
            try await call()
        } catch let error as TokenExchangeError
            where error.reason == .requiresRecentLogin || error.reason == .secondFactorRequired
        {
            let identities = try await client.account().identities
            guard let provider = identities.first(where: { !$0.isManagedByFirebase })?.provider else { throw error }
            // The page of the server asks for the second factor.
            let result = try await client.signIn(with: provider, parameters: ["prompt": "login"])
            guard result.uid == uid else { throw error }
            try await enter(result.tokens)
            try await call()
        }
    }

    private func report(_ step: @MainActor () async throws -> Void) async {
        do {
            message = nil
            try await step()
        } catch let error as TokenExchangeError {
            message = Self.text(error)
        } catch {
            // An error of the Firebase SDK.
            message = error.localizedDescription
        }
    }

    /// Returns a text for the user; `nil` if the user knows.
    ///
    /// The `message` of an error is for the developer.
    private static func text(_ error: TokenExchangeError) -> String? {
        switch error.reason {
        case .cancelled, .accessDenied: nil
        case .networkFailed: "There is no connection. Try again later."
        case .rateLimited, .secondFactorLocked: "Too many tries. Try again later."
        case .secondFactorInvalid: "This code is wrong or was used before."
        case .accountExistsWithDifferentCredential: "You already have an account. Sign in as before."
        case .providerAlreadyLinked: "Your account already has another sign-in of this kind."
        case .mergeNotPossible: "That account cannot be merged. Sign in to it, and add this one."
        case .requiresRecentLogin, .secondFactorRequired, .idTokenRevoked: "Sign in again."
        case .userDisabled: "This account is disabled."
        case .blockedByHook: error.userMessage ?? "This sign-in is not allowed."
        default: "Something went wrong. Number of the request: " + (error.requestID ?? "none")
        }
    }
}

struct SignInView: View {
    @StateObject var model: SignInModel
    @Environment(\.openURL) private var openURL
    @State private var code = ""

    var body: some View {
        VStack {
            if model.uid == nil {
                Button("Sign in with Yahoo") { Task { await model.signIn(with: .yahoo) } }
                Button("Sign in with X") { Task { await model.signIn(with: .x) } }
            } else {
                Button("Add X") { Task { await model.link(.x) } }
                Button("Add a second factor") { Task { await model.addSecondFactor() } }
                Button("Sign out") { model.signOut() }
            }
            if let enrollment = model.enrollment {
                Button("Open the authenticator application") { openURL(enrollment.uri) }
                Text("Or type there: " + enrollment.secret)
                TextField("Code", text: $code)
                Button("Confirm") { Task { await model.confirm(code) } }
            }
            Text(model.recoveryCodes.joined(separator: "\n"))
            if let message = model.message { Text(message) }
        }
        .confirmationDialog("This sign-in belongs to another account.", isPresented: $model.isAsking) {
            Button("Merge the accounts", role: .destructive) { Task { await model.merge() } }
        } message: {
            Text("Its other data is deleted permanently.")
        }
    }
}
