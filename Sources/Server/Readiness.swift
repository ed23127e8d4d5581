/// What must work before anybody can be signed in, by name: `store`, `signer`, `keys of yahoo.com`.
package struct Readiness: Sendable {
    package typealias Check = @Sendable () async -> Bool

    private let checks: @Sendable () -> [(part: String, works: Check)]

    /// - Parameter checks: Asked each time, since a reload changes the providers.
    package init(checks: @escaping @Sendable () -> [(part: String, works: Check)]) {
        self.checks = checks
    }

    /// In alphabetical order; empty when all is well.
    func failingParts() async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            for (part, works) in checks() {
                group.addTask { await works() ? nil : part }
            }
            var failing: [String] = []
            for await part in group {
                if let part { failing.append(part) }
            }
            return failing.sorted()
        }
    }
}
