package import Standards
package import Testing

/// Expects that a step is refused, whatever type its error has.
package func expectRefusal<Value>(
    _ expected: Refusal, sourceLocation: SourceLocation = #_sourceLocation, _ step: () async throws -> Value
) async {
    await expectRefusal(sourceLocation, step) { #expect($0 == expected, sourceLocation: sourceLocation) }
}

/// Expects that a step is refused for a reason that only one rule has.
///
/// - Parameter isUnspent: Whether the refusal says that the credential is unspent; `nil` does not compare that.
package func expectRefusal<Value>(
    _ expected: Reason, isUnspent: Bool? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ step: () async throws -> Value
) async {
    await expectRefusal(sourceLocation, step) {
        #expect($0.reason == expected, sourceLocation: sourceLocation)
        if let isUnspent { #expect($0.isUnspent == isUnspent, sourceLocation: sourceLocation) }
    }
}

private func expectRefusal<Value>(
    _ sourceLocation: SourceLocation, _ step: () async throws -> Value, _ check: (Refusal) -> Void
) async {
    do {
        _ = try await step()
        Issue.record("The step is not refused.", sourceLocation: sourceLocation)
    } catch {
        check(Refusal(error))
    }
}

/// ``expectRefusal(_:sourceLocation:_:)`` for a step that does not suspend.
package func expectImmediateRefusal<Value>(
    _ expected: Refusal, sourceLocation: SourceLocation = #_sourceLocation, _ step: () throws -> Value
) {
    do {
        _ = try step()
        Issue.record("The step is not refused.", sourceLocation: sourceLocation)
    } catch {
        #expect(Refusal(error) == expected, sourceLocation: sourceLocation)
    }
}

/// ``expectRefusal(_:isUnspent:sourceLocation:_:)`` for a step that does not suspend.
package func expectImmediateRefusal<Value>(
    _ expected: Reason, isUnspent: Bool? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ step: () throws -> Value
) {
    do {
        _ = try step()
        Issue.record("The step is not refused.", sourceLocation: sourceLocation)
    } catch {
        #expect(Refusal(error).reason == expected, sourceLocation: sourceLocation)
        if let isUnspent { #expect(Refusal(error).isUnspent == isUnspent, sourceLocation: sourceLocation) }
    }
}

/// Returns the refusal of a step; `nil` if it succeeds.
package func refusal<Value>(of step: () async throws -> Value) async -> Refusal? {
    do {
        _ = try await step()
        return nil
    } catch {
        return Refusal(error)
    }
}
