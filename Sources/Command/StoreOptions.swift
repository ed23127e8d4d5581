internal import ArgumentParser

/// What an operator says about the store, for the subcommands that may make it.
struct StoreOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Begin to record anew what is used.",
            discussion: """
                Makes the database if it is missing, even if its key file is there. Otherwise it forgets until when the \
                store has watched, which helps after the clock was ahead for a while. What was issued before is refused. Use \
                it for one start.
                """))
    var newStore = false
}
