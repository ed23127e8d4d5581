extension Settings {
    /// What was found, one line for each key, with every secret elided: `server.listen: 127.0.0.1:8080`.
    package var summary: [String] {
        var summary = Summary()
        summary.add(server)
        summary.add(firebase)
        for (name, keys) in [("seal_keys", sealKeys), ("store_keys", storeKeys)] {
            summary.add(name, keys.isEmpty ? "made beside the store" : keys.map(\.source.elided).inList)
        }
        summary.add("store", store.description)
        for (name, template) in claims.sorted(by: { $0.key < $1.key }) { summary.add("claims.\(name)", "\(template)") }
        for client in clients { summary.add(client) }
        for provider in providers.openIDConnect { summary.add(provider) }
        if let twitter = providers.twitter { summary.add(twitter) }
        summary.add(accounts)
        summary.add(limits)
        summary.add("audit.output", String(audit.output))
        summary.add("audit.store", String(audit.store))
        summary.add("audit.retention", DurationText.write(audit.retention))
        summary.add("logging.level", logging.level.rawValue)
        summary.add("logging.format", logging.format.rawValue)
        return summary.lines
    }

    package var redactedDescription: String { summary.joined(separator: "\n") }
}

extension Settings: CustomStringConvertible {
    package var description: String { redactedDescription }
}

extension Settings.Accounts.UIDRule: CustomStringConvertible {
    package var description: String {
        switch self {
        case .random: "random"
        case .template(let template): template.description
        }
    }
}
