/// Calls to one origin that take turns: so many of them are under way at once.
///
/// Two queues to one origin do not wait for each other.
package struct CallQueue: Sendable, Hashable {
    package let name: String
    package let limit: Int

    package init(_ name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }
}
