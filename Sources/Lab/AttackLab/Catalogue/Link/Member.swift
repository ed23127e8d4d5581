/// A person with an account who is signed in to Firebase.
struct Member: Sendable {
    let uid: String
    let bearer: String
    let provider: String
    let subject: String
    /// As it was minted.
    let customToken: String
}
