import Jansson

/// One sign-in, or one attack, from its first message to its last.
struct Run: Sendable {
    /// What the application waits for.
    enum Stage: Sendable {
        case working
        /// The browser brings a code back, under this state and for this verifier.
        case awaitingCode(state: String, verifier: String, tokenEndpoint: String)
        /// The browser brings the provider's answer back.
        case awaitingCallback(session: String)
        /// Somebody enters the code on another device.
        case polling(Device)
        case ended
    }

    struct Device: Sendable {
        let deviceCode: String
        let userCode: String
        let verificationURI: String
        let verificationURIComplete: String
        let tokenEndpoint: String
    }

    /// Unguessable: who knows it sees the run and may replay it.
    let id: String
    let scenario: Scenario
    /// The home page's own.
    let origin: String
    /// Seconds since 1970-01-01T00:00:00Z, by the stand-ins' clock.
    let startedAt: Int64
    var stage = Stage.working
    var steps: [Step] = []
    /// Codes and tokens that have occurred, by which messages between server and provider are known as part of it.
    var handles: Set<String> = []
    /// The answer that holds the custom token.
    var result: JSON?

    /// The custom token, under whichever name it came.
    var customToken: String? { result?["custom_token"]?.string ?? result?["access_token"]?.string }
}
