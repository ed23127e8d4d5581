internal import ArgumentParser
internal import JOSE
internal import Jansson
internal import Settings
internal import Standards
internal import Stores

struct AccountsFactors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "factors",
        abstract: "Shows and removes the second factors of an account, and ends their lock.",
        discussion: """
            Use --remove-all for a person who has lost the authenticator application and the recovery codes. Make sure \
            first that the request comes from that person: afterwards the account is protected only by its sign-in at the \
            provider. Neither secrets nor recovery codes are shown; the store has only the digests of the codes.

              token-exchange accounts factors abc123 --unlock
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .uid)
    var uid: UID

    // The id may begin with a hyphen.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Remove this factor. With the last one, the account also loses its recovery codes.",
            valueName: "factor-id"))
    var remove: String?

    @Flag(help: "Remove all factors and recovery codes.")
    var removeAll = false

    @Flag(help: "End the lock after wrong codes.")
    var unlock = false

    func validate() throws {
        guard [remove != nil, removeAll, unlock].count(where: \.self) <= 1 else {
            throw ValidationError("Use only one of --remove, --remove-all and --unlock.")
        }
    }

    func run() async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
        _ = try await session.withDirectory { try await session.account(uid, in: $0) }
        let holder = session.factorHolder(uid)
        try await change(holder, session)
        write(try await session.factors(of: uid), of: holder, at: session.time.now())
    }

    private func change(_ holder: FactorHolder, _ session: OperatorSession) async throws {
        if let remove {
            let wasThere = try await session.answer(of: await session.store.removeFactor(remove, of: holder))
            guard wasThere else {
                throw Exit.because(
                    "the account \(VisibleText.of(uid)) has no second factor \(VisibleText.of(remove))",
                    Exit.failure)
            }
        } else if removeAll || unlock {
            guard try await !session.factors(of: uid).confirmed.isEmpty else {
                throw Exit.because("the account \(VisibleText.of(uid)) has no second factors", Exit.failure)
            }
            try await session.reportingErrors { () throws(StoreError) in
                if unlock {
                    try await session.store.unlockFactors(of: holder)
                } else {
                    try await session.store.removeFactors(of: holder)
                }
            }
        }
    }

    private func write(_ factors: FactorsOfAccount, of holder: FactorHolder, at now: NumericDate) {
        // A lock that has ended is kept in the store until the next try.
        let lockedUntil = factors.tries.lockedUntil.flatMap { now < $0 ? $0 : nil }
        var lines = ["uid: \(VisibleText.of(holder.uid))"]
        if !holder.tenant.isEmpty { lines.append("tenant: \(VisibleText.of(holder.tenant))") }
        lines += [
            "recovery codes left: \(factors.recoveryCodes)",
            "locked until: "
                + (factors.tries.needsRecoveryCode
                    ? "a recovery code is used, or --unlock" : lockedUntil.map(AccountTable.date) ?? "-"),
        ]
        lines += factors.confirmed.map { factor in
            let name = factor.name.map { ", \(VisibleText.of($0))" } ?? ""
            return "factor: \(VisibleText.of(factor.id))\(name), created \(AccountTable.date(factor.createdAt)), "
                + "last used \(factor.lastUsedAt.map(AccountTable.date) ?? "-")"
        }
        var members: [String: JSON] = [
            "uid": .string(holder.uid.text), "factors": .array(factors.confirmed.map(Self.json)),
            "recovery_codes_left": .integer(Int64(factors.recoveryCodes)),
        ]
        if !holder.tenant.isEmpty { members["tenant"] = .string(holder.tenant) }
        members["locked_until"] = lockedUntil.map { .integer($0.seconds) }
        if factors.tries.needsRecoveryCode { members["needs_recovery_code"] = .bool(true) }
        output.write(lines.joined(separator: "\n"), members)
    }

    /// Describes a factor as `GET /v1/account/factors` does.
    private static func json(_ factor: EnrolledFactor) -> JSON {
        var members: [String: JSON] = [
            "factor_id": .string(factor.id), "type": .string("totp"), "created_at": .integer(factor.createdAt.seconds),
        ]
        members["name"] = factor.name.map(JSON.string)
        members["last_used_at"] = factor.lastUsedAt.map { .integer($0.seconds) }
        return .object(members)
    }
}
