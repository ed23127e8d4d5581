internal import Foundation

extension Attack {
    /// Whether lists and reports tell of this one first: by the stages, and below one by its id, `EX-2` before `EX-10`.
    package func stands(before other: Attack) -> Bool {
        guard stage == other.stage else { return stage.place < other.stage.place }
        return id.compare(other.id, options: .numeric) == .orderedAscending
    }
}

extension Stage {
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
