/// Whether the store can do what a sign-in asks of it.
package protocol StoreHealth: Sendable {
    /// Writes, commits and reads back: returns where a sign-in could have been recorded.
    func check() async throws(StoreError)
}
