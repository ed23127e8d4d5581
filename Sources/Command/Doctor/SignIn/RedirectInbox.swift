internal import Flows
internal import Foundation
internal import Standards

/// The addresses to which a provider sends the operator's browser.
///
/// They come from the operator, who copies them from the browser, or from a ``LoopbackListener``.
final class RedirectInbox: Sendable {
    enum Event: Sendable, Equatable {
        /// The browser was sent to this address, or the operator entered it.
        case address(String)
        /// The operator entered an empty line: the browser was not sent back.
        case stayed
    }

    private let events: AsyncStream<Event>
    private let feed: AsyncStream<Event>.Continuation

    init() {
        (events, feed) = AsyncStream.makeStream()
    }

    /// Puts an event into the inbox.
    func put(_ event: Event) {
        feed.yield(event)
    }

    /// Reads the lines of standard input from now on.
    ///
    /// - Parameter endsWithInput: Whether nothing else puts events into the inbox, so that the end of the input is the end
    ///   of the events.
    func readStandardInput(endsWithInput: Bool) {
        Thread.detachNewThread { [self] in
            while let line = readLine() {
                let address = line.trimmingCharacters(in: .whitespaces)
                put(address.isEmpty ? .stayed : .address(address))
            }
            if endsWithInput { feed.finish() }
        }
    }

    /// Returns the next event; `nil` after the last one.
    func next() async -> Event? {
        for await event in events { return event }
        return nil
    }

    /// Returns the parameters of a redirect.
    ///
    /// - Parameter address: A URL with a query.
    /// - Returns: Those of ``CallbackURL/readParameters``, or `nil` if the text is no such URL.
    static func parameters(of address: String) -> Parameters? {
        guard let start = address.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let query = address.utf8[address.utf8.index(after: start)...].prefix { $0 != UInt8(ascii: "#") }
        return String(query).flatMap { try? CallbackURL.parse($0) }
    }
}
