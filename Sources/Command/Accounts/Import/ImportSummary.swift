internal import Jansson

/// What an import came to.
struct ImportSummary {
    struct Conflict {
        let uid: String
        let reason: String
    }

    var added = 0
    /// Already there, with the same identities.
    var skipped = 0
    /// Users of Firebase without anything to keep.
    var leftOut = 0
    var conflicts: [Conflict] = []

    func write(to output: OutputOptions, isDryRun: Bool) {
        if output.json {
            let conflicts = conflicts.map { JSON.object(["uid": .string($0.uid), "reason": .string($0.reason)]) }
            return output.write(
                "",
                [
                    "added": .integer(Int64(added)), "skipped": .integer(Int64(skipped)),
                    "left_out": .integer(Int64(leftOut)), "conflicts": .array(conflicts), "dry_run": .bool(isDryRun),
                ])
        }
        for conflict in conflicts {
            print("conflict: \(VisibleText.of(conflict.uid)): \(conflict.reason)")
        }
        print(
            "\(isDryRun ? "would be added" : "added"): \(added), skipped (already there): \(skipped), "
                + "left out (nothing to link): \(leftOut), conflicts: \(conflicts.count)")
    }
}
