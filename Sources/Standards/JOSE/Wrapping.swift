/// Runs a step and reports its error as the error of the layer that runs it.
///
/// An `@autoclosure` infers its thrown type, which a trailing closure does not.
///
/// - Parameter isolation: The actor of the caller, on which the step runs.
package func wrapping<Value, Inner: Error, Outer: Error>(
    _ outer: (Inner) -> Outer, _ step: @autoclosure () async throws(Inner) -> Value,
    isolation: isolated (any Actor)? = #isolation
) async throws(Outer) -> Value {
    do {
        return try await step()
    } catch {
        throw outer(error)
    }
}

/// Runs a step that does not suspend and reports its error as the error of the layer that runs it.
///
/// It has a name of its own, because an overload of ``wrapping(_:_:isolation:)`` would be ambiguous.
package func wrappingNow<Value, Inner: Error, Outer: Error>(
    _ outer: (Inner) -> Outer, _ step: @autoclosure () throws(Inner) -> Value
) throws(Outer) -> Value {
    do {
        return try step()
    } catch {
        throw outer(error)
    }
}
