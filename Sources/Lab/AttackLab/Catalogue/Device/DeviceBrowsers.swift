internal import Jansson

/// Attacks with the pages of `/device` in the wrong browser or in the wrong order.
enum DeviceBrowsers {
    private static let needs: Set<Need> = [.standIns, .deviceGrant]

    static let all = Section(.device, .critical, needs: needs).attacks(
        .attack(
            "DG-10a", "The last form is posted without a cookie, by another browser, and with a changed field.",
            oracle: "The server responds with a 400 page; the device still waits, and the right browser can continue.",
            source: "CVE-2026-45337"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let form = try await visitor.verify(device)
            let members = [("flow", form), ("decision", "approve")]
            await context.fire(.form("/device", members), expecting: .page())
            let other = DeviceVisitor(context)
            _ = try await other.open()
            await context.fire(await other.posting(members), expecting: .page())
            for text in Spoilt.texts(of: form) {
                await context.fire(await visitor.deciding("approve", form: text), expecting: .page())
            }
            await context.fire(await visitor.posting([("decision", "approve")]), expecting: .page())
            await context.expectWaiting(device)
            _ = try await visitor.answer(to: await visitor.deciding("approve", form: form), status: 200)
            try await context.collect(device)
        },
        .attack(
            "DG-10b", "The last form is posted again, before and after the device has received its token.",
            severity: .high,
            oracle: "The server repeats the page of the decision, refuses the other one, and issues no second token.",
            source: "CVE-2026-45337"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let form = try await visitor.verify(device)
            let request = await visitor.deciding("approve", form: form)
            _ = try await visitor.answer(to: request, status: 200)
            await context.fire(request, expecting: .status(200))
            await context.fire(await visitor.deciding("deny", form: form), expecting: .page())
            try await context.collect(device)
            await context.fire(request, expecting: .page())
            await context.fire(context.poll(device), expecting: .refused("replayed"))
        },
        .attack(
            "DG-10c", "The forms of earlier steps are posted to approve a device without the provider.",
            oracle: "The server responds with a 400 page: each form is bound to its step.", source: "CVE-2026-45337"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let first = try await visitor.open()
            let second = try await visitor.confirm(device)
            for form in [first, second] {
                await context.fire(await visitor.deciding("approve", form: form), expecting: .page())
            }
            await context.fire(await visitor.choosing("yahoo.com", form: first), expecting: .page())
            _ = try await visitor.leave(device)
            await context.fire(await visitor.deciding("approve", form: second), expecting: .page())
            await context.expectWaiting(device)
        },
        .attack(
            "DG-11a", "The attacker enters the user code after the victim, and approves and denies it.",
            oracle: "The server responds with a 400 page: the code is bound to the first browser; the victim signs in.",
            source: "CVE-2026-45337"
        ) { context in
            let device = try await context.device()
            let (victim, attacker) = (DeviceVisitor(context), DeviceVisitor(context))
            let theirs = try await attacker.confirm(device)
            let form = try await victim.verify(device)
            await context.fire(await attacker.choosing("yahoo.com", form: theirs), expecting: .page())
            await context.fire(await attacker.deciding("deny", form: theirs), expecting: .page())
            await context.fire(await attacker.deciding("approve", form: theirs), expecting: .page())
            _ = try await victim.answer(to: await victim.deciding("approve", form: form), status: 200)
            let uid = try await context.collect(device)
            await context.expect(uid.contains("ALICE"), .minted, "The device is signed in as another user.")
        },
        .attack(
            "DG-11b", "The attacker is at the provider for a user code when the victim confirms it.",
            oracle: "Only the sign-in of the browser that owns the code counts; the other gets a 400 page.",
            source: "CVE-2026-45337"
        ) { context in
            let device = try await context.device()
            let (first, second) = (DeviceVisitor(context), DeviceVisitor(context))
            let (one, other) = (try await first.confirm(device), try await second.confirm(device))
            let begun = try await first.answer(to: await first.choosing("yahoo.com", form: one), status: 303)
            await context.fire(await second.choosing("yahoo.com", form: other), expecting: .page())
            let url = try await context.standIns.decide(at: begun.field("location") ?? "", as: "mallory")
            // The callback of the owner's flow is opened in the other browser.
            await context.fire(await second.browser.sending(.get(AttackContext.target(of: url))), expecting: .page())
            await context.expectWaiting(device)
        },
        .attack(
            "DG-29", "A page names one user, and the same browser signs in as another user meanwhile.",
            oracle: "The old page approves nothing: its form is bound to the user that it named.",
            source: "cross-device BCP 6"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let old = try await visitor.verify(device, as: "alice")
            let form = try await visitor.verify(device, as: "mallory")
            await context.fire(await visitor.deciding("approve", form: old), expecting: .page())
            await context.expectWaiting(device)
            _ = try await visitor.answer(to: await visitor.deciding("approve", form: form), status: 200)
            let uid = try await context.collect(device)
            await context.expect(
                uid.contains("MALLORY"), .minted, "The device is signed in as a user that the page did not name.")
        },
        .attack(
            "DG-14a", "The last form is posted with approval and refusal concurrently.", severity: .high,
            oracle: "One decision is recorded, and the device receives it.", source: "SUPA #2512"
        ) { context in
            for _ in 0..<3 {
                let (device, visitor) = (try await context.device(), DeviceVisitor(context))
                let form = try await visitor.verify(device)
                let yes = await visitor.deciding("approve", form: form)
                let no = await visitor.deciding("deny", form: form)
                let replies = await context.volley([yes, no, yes, no], winners: 1...2, losers: .page()) {
                    $0.status == 200
                }
                let approved = [0, 2].contains { replies[$0].answer?.status == 200 }
                let denied = [1, 3].contains { replies[$0].answer?.status == 200 }
                await context.expect(approved != denied, .raced, "The pages show both decisions.")
                if approved {
                    try await context.collect(device)
                } else {
                    await context.fire(context.poll(device), expecting: .deniedDevice)
                }
                await context.fire(context.poll(device), expecting: .refused("replayed"))
            }
        },
        .attack(
            "DG-14b", "Twenty browsers confirm one user code concurrently.", severity: .high,
            oracle: "One browser owns the code; the others get a 400 page.", source: "CVE-2026-45337"
        ) { context in
            let device = try await context.device()
            var requests: [Request] = []
            for _ in 0..<20 {
                let visitor = DeviceVisitor(context)
                requests.append(await visitor.choosing("yahoo.com", form: try await visitor.confirm(device)))
            }
            await context.volley(requests, losers: .page()) { $0.status == 303 }
        },
    )
}

/// Changes of the account between approval and poll.
enum DeviceAccounts {
    static let all = Section(.device, .high, needs: [.standIns, .accounts, .deviceGrant]).attacks(
        .attack(
            "DG-15a", "The user is disabled between approval and poll.",
            oracle: "The server responds with 400 user_disabled and issues no token.",
            source: "CVE-2026-88770", needs: [.standIns, .processes, .accounts, .deviceGrant]
        ) { context in
            let bed = try context.testBed
            let server = try await bed.usualServer()
            let user = "carol"
            let first = try await context.device()
            try await DeviceVisitor(context).approve(first, as: user)
            let uid = try await context.collect(first)
            let device = try await context.device()
            try await DeviceVisitor(context).approve(device, as: user)
            try await bed.setDisabled(true, uid, at: server)
            await context.fire(
                context.poll(device),
                expecting: .refused("user_disabled", error: "access_denied"))
            try await bed.setDisabled(false, uid, at: server)
        },
        .attack(
            "DG-15b", "The account is deleted between approval and poll.",
            oracle: "The device is signed in with a new uid, never with the deleted one.", source: "CVE-2026-88770"
        ) { context in
            let device = try await context.device()
            let visitor = DeviceVisitor(context)
            try await visitor.approve(device, as: "carol")
            let issued = try await context.genuine(user: "carol")
            let member = try await context.member(try await context.honest(issued.request), "yahoo.com", "")
            try await context.honest(context.deleteAccount(member.bearer))
            let uid = try await context.collect(device)
            await context.expect(uid != member.uid, .minted, "The device is signed in to a deleted account.")
        },
        .attack(
            "DG-15c", "The identity is unlinked between approval and poll.",
            oracle: "The device is not signed in to the account that the identity was removed from.",
            source: "CVE-2026-88770"
        ) { context in
            let issued = try await context.genuine(user: "carol")
            let member = try await context.member(try await context.honest(issued.request), "yahoo.com", "")
            let proof = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
            try await context.honest(context.link(member.bearer, proof, provider: AttackContext.secondProvider))
            let device = try await context.device()
            try await DeviceVisitor(context).approve(device, as: "carol")
            try await context.honest(context.unlink(member.bearer, "yahoo.com"))
            let uid = try await context.collect(device)
            await context.expect(
                uid != member.uid, .minted, "The device is signed in to the account that the identity was removed from."
            )
        },
    )
}
