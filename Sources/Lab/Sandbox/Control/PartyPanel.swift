import Jansson

/// The calls of the control listener that concern one party alone.
protocol PartyPanel: Sendable {
    /// Nil where nothing is at that path.
    ///
    /// - `order`: reads the body.
    func answer(
        _ request: IncomingRequest, order: () throws(ControlError) -> JSON
    ) async throws(ControlError) -> Answer?
}
