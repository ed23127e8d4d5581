internal import Jansson

/// What becomes of the account between the last word and the poll.
enum DeviceAccounts {
    static let all = Section(.device, .high, needs: [.standIns, .accounts, .deviceGrant]).attacks(
        .attack(
            "DG-15a", "The user is disabled between approval and poll.", oracle: "400 user_disabled; no token.",
            source: "CVE-2026-88770", needs: [.standIns, .processes, .accounts, .deviceGrant]
        ) { strike in
            let bed = try strike.lab.needed(strike.lab.testBed, "processes")
            let server = try await bed.usualServer()
            let user = "carol"
            let first = try await strike.device()
            try await DeviceVisitor(strike).approve(first, as: user)
            let uid = try await strike.collect(first)
            let device = try await strike.device()
            try await DeviceVisitor(strike).approve(device, as: user)
            try await bed.setDisabled(true, uid, at: server)
            await strike.fire(
                strike.poll(device),
                expecting: Expectation(statuses: [400], errors: ["access_denied"], reasons: ["user_disabled"]))
            try await bed.setDisabled(false, uid, at: server)
        },
        .attack(
            "DG-15b", "The account is deleted between approval and poll.",
            oracle: "A uid of its own, never the one that was deleted.", source: "CVE-2026-88770"
        ) { strike in
            let device = try await strike.device()
            let visitor = DeviceVisitor(strike)
            try await visitor.approve(device, as: "carol")
            let issued = try await strike.genuine(user: "carol")
            let member = try await strike.member(try await strike.honest(issued.request), "yahoo.com", "")
            try await strike.honest(strike.deleteAccount(member.bearer))
            let uid = try await strike.collect(device)
            await strike.expect(uid != member.uid, .minted, "A deleted account was signed in to.")
        },
        .attack(
            "DG-15c", "The identity is unlinked between approval and poll.",
            oracle: "The account that it left is not signed in to.", source: "CVE-2026-88770"
        ) { strike in
            let issued = try await strike.genuine(user: "carol")
            let member = try await strike.member(try await strike.honest(issued.request), "yahoo.com", "")
            let proof = try await strike.proof(of: try strike.freshSubject(), at: Strike.secondProvider)
            try await strike.honest(strike.link(member.bearer, proof, provider: Strike.secondProvider))
            let device = try await strike.device()
            try await DeviceVisitor(strike).approve(device, as: "carol")
            try await strike.honest(strike.unlink(member.bearer, "yahoo.com"))
            let uid = try await strike.collect(device)
            await strike.expect(uid != member.uid, .minted, "The account that the identity left was signed in to.")
        },
    )
}
