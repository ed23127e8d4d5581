internal import OpenSSL

/// Guesses of user codes (RFC 8628 §5.1); the default allows five wrong ones per address.
enum DeviceGuesses {
    private static let needs: Set<Need> = [.standIns, .processes, .deviceGrant, .addresses]

    static let all = Section(.device, .high, needs: needs).attacks(
        .attack(
            "DG-07a", "One address guesses user codes, and then sends the right one.",
            oracle: "After five wrong codes the server responds with 429 and Retry-After, even to the right one.",
            source: "RFC 8628 5.1"
        ) { context in
            try await context.withServer("guessed") { server, _ in
                let device = try await context.device(wire: server.wire)
                let visitor = DeviceVisitor(context, wire: server.wire)
                let form = try await visitor.open()
                for _ in 0..<5 {
                    await context.fire(
                        await visitor.typing(try wrongCode(), form: form), expecting: .page(), at: server.wire)
                }
                for code in [try wrongCode(), device.userCode] {
                    let reply = await context.fire(
                        await visitor.typing(code, form: form), expecting: .page(429), at: server.wire)
                    await context.expect(
                        reply.answer?.field("retry-after") != nil, .wrongAnswer,
                        "The 429 response has no Retry-After field.")
                }
                // The limit also holds for another browser at the same address, and for forged proxy fields.
                let other = DeviceVisitor(context, wire: server.wire)
                let request = await other.typing(device.userCode, form: try await other.open())
                await context.fire(request, expecting: .page(429), at: server.wire)
                for name in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"] {
                    let value = name == "Forwarded" ? "for=203.0.113.9" : "203.0.113.9"
                    await context.fire(request.with(name, value), expecting: .page(429), at: server.wire)
                }
            }
        },
        .attack(
            "DG-07b", "The attacker enters a valid code of their own after every fourth wrong one.",
            oracle: "A success resets no failure: the server responds with 429 after five wrong codes in total.",
            source: "Keycloak #51275"
        ) { context in
            try await context.withServer("guessed-2") { server, _ in
                let own = try await context.device(wire: server.wire)
                let visitor = DeviceVisitor(context, wire: server.wire)
                let form = try await visitor.open()
                for attempt in 0..<5 {
                    if attempt == 4 { _ = try await visitor.confirm(own) }
                    await context.fire(
                        await visitor.typing(try wrongCode(), form: form), expecting: .page(), at: server.wire)
                }
                await context.fire(
                    await visitor.typing(try wrongCode(), form: form), expecting: .page(429), at: server.wire)
            }
        },
        .attack(
            "DG-07c", "Twelve hundred guesses are sent from three hundred addresses.",
            oracle: "The server responds with 429 to every address, even to one that never guessed.",
            source: "RFC 8628 5.1",
            needs: needs.union([.bulk, .patience])
        ) { context in
            try await context.withServer("guessed-3") { server, _ in
                let visitor = DeviceVisitor(context, wire: server.wire)
                let form = try await visitor.open()
                let request = await visitor.typing(try wrongCode(), form: form)
                let answers = await withTaskGroup(of: [Int: Int].self) { group in
                    for lane in 0..<20 {
                        group.addTask {
                            var counts: [Int: Int] = [:]
                            for guess in 0..<60 {
                                let reply = await server.wire.send(
                                    request, from: "127.200.\(lane).\(guess / 4 + 1)")
                                counts[reply.answer?.status ?? 0, default: 0] += 1
                            }
                            return counts
                        }
                    }
                    return await group.reduce(into: [:] as [Int: Int]) { $0.merge($1, uniquingKeysWith: +) }
                }
                // The server allows a thousand guesses, and one more in each 0.6 seconds, on however slow a machine.
                await context.expect(
                    answers[400, default: 0] <= 1150 && answers[429, default: 0] >= 50, .wrongAnswer,
                    "\(answers[400, default: 0]) of 1200 guesses from many addresses were looked up.")
                var isLimited = false
                for host in 1...40 where !isLimited {
                    isLimited = await server.wire.send(request, from: "127.201.1.\(host)").answer?.status == 429
                }
                await context.expect(
                    isLimited, .wrongAnswer, "Forty guesses from addresses that had never guessed were looked up.")
            }
        },
        .attack(
            "DG-07e", "Forty guesses from one address are sent concurrently.",
            oracle: "The server looks up at most five.", source: "CWE-367; MAS #5972"
        ) { context in
            try await context.withServer("guessed-4") { server, _ in
                let visitor = DeviceVisitor(context, wire: server.wire)
                let form = try await visitor.open()
                var requests: [Request] = []
                for _ in 0..<40 { requests.append(await visitor.typing(try wrongCode(), form: form)) }
                await context.volley(
                    requests, winners: 0...5, losers: .page(429), at: [server.wire]
                ) { $0.status == 400 }
            }
        },
        .attack(
            "DG-07f", "A client behind a trusted proxy changes its address within one IPv6 /64 and guesses.",
            severity: .medium,
            oracle: "The server counts a /64 network as one address.", source: "CVE-2026-45364"
        ) { context in
            try await context.withServer("guessed-5") {
                $0.set("server/trusted_proxies", ["127.0.0.0/8"])
            } _: { server, _ in
                let visitor = DeviceVisitor(context, wire: server.wire)
                let form = try await visitor.open()
                for host in 1...7 {
                    let request = await visitor.typing(try wrongCode(), form: form)
                    await context.fire(
                        request.with("X-Forwarded-For", "2001:db8:0:7::\(host)"),
                        expecting: .page(host <= 5 ? 400 : 429), at: server.wire)
                }
                let request = await visitor.typing(try wrongCode(), form: form)
                await context.fire(
                    request.with("X-Forwarded-For", "2001:db8:0:8::1"), expecting: .page(), at: server.wire)
            }
        },
        .attack(
            "DG-08", "User codes contain HTML, ten kilobytes, full-width letters, control characters and SQL.",
            severity: .medium,
            oracle:
                """
                The server responds with a 400 page that does not repeat the text; it ignores only case, \
                blanks and dashes.
                """,
            source: "RFC 8628 6.1; Abblix #165", needs: [.standIns, .deviceGrant]
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let form = try await visitor.open()
            let canary = try await context.canary()
            let letters = device.userCode.filter { $0 != "-" }
            let fullWidth = String(
                String.UnicodeScalarView(letters.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xFEE0) }))
            let texts = [
                "<script>\(canary)</script>", "\"><img src=x onerror=\(canary)>", String(repeating: "B", count: 10_240),
                fullWidth, letters + "\0", "\(letters)\u{200B}\(canary)", "' OR 1=1 -- \(canary)",
                letters + "B", String(letters.dropLast()), "\r\nSet-Cookie: \(canary)", "{{\(canary)}}", "",
            ]
            for text in texts {
                await context.fire(await visitor.typing(text, form: form), expecting: .page())
            }
            for text in [letters.lowercased(), letters.map { "\($0) " }.joined(), "-" + letters + "."] {
                _ = try await visitor.answer(to: await visitor.typing(text, form: form), status: 200)
            }
            await context.fire(
                .get("/device?user_code=" + PercentEncoding.encode("\"><script>\(canary)</script>")),
                expecting: .status(200))
        },
    )

    /// Returns a well-formed user code that almost certainly belongs to no device.
    private static func wrongCode() throws -> String {
        let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
        return String(try SecureRandom.bytes(8).map { alphabet[Int($0) % alphabet.count] })
    }
}

/// Devices that poll too late, again, or too fast.
enum DevicePolls {
    static let all = Section(.device, .high, needs: [.standIns, .deviceGrant]).attacks(
        .attack(
            "DG-03a", "A pending device code is polled after its lifetime of ten minutes.",
            oracle: "The server responds with 400 expired_token.",
            source: "RFC 8628 3.5", needs: [.standIns, .processes, .clock, .deviceGrant]
        ) { context in
            try await context.withServer("late-device") { server, bed in
                let device = try await context.device(wire: server.wire)
                await context.expect(
                    device.lifetime <= 600, .wrongAnswer, "The device code has a lifetime of \(device.lifetime) s.")
                let visitor = DeviceVisitor(context, wire: server.wire)
                let form = try await visitor.confirm(device)
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 700)
                await context.fire(context.poll(device), expecting: .expiredDevice, at: server.wire)
                await context.fire(
                    await visitor.choosing("yahoo.com", form: form), expecting: .page(), at: server.wire)
                let fresh = try await visitor.open()
                await context.fire(
                    await visitor.typing(device.userCode, form: fresh), expecting: .page(), at: server.wire)
            }
        },
        .attack(
            "DG-05a", "The device polls again after it was signed in.",
            oracle: "The server responds with 400 replayed.", source: "RFC 8628 3.5"
        ) { context in
            let device = try await context.device()
            try await DeviceVisitor(context).approve(device)
            try await context.collect(device)
            for _ in 0..<3 { await context.fire(context.poll(device), expecting: .refused("replayed")) }
        },
        .attack(
            "DG-05b", "The device polls again after it was refused.", severity: .medium,
            oracle: "The server responds with 400 access_denied once, then with replayed.", source: "RFC 8628 3.5"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let form = try await visitor.confirm(device)
            _ = try await visitor.answer(to: await visitor.deciding("deny", form: form), status: 200)
            await context.fire(context.poll(device), expecting: .deniedDevice)
            await context.fire(context.poll(device), expecting: .refused("replayed"))
        },
        .attack(
            "DG-20", "An approved device code is polled fifty times concurrently.",
            oracle: "Exactly one poll receives a custom token.",
            source: "CVE-2026-53518"
        ) { context in
            let device = try await context.device()
            try await DeviceVisitor(context).approve(device)
            await context.volley(
                [Request](repeating: context.poll(device), count: 50), losers: .refused("replayed"))
        },
        .attack(
            "DG-21", "A device polls as fast as it can.", severity: .low,
            oracle: "The server responds with slow_down, never with 429 or a token; the interval grows.",
            source: "RFC 8628 3.5",
            needs: [.deviceGrant]
        ) { context in
            let device = try await context.device()
            await context.fire(
                context.poll(device), expecting: .refused("authorization_pending", error: "authorization_pending"))
            for _ in 0..<20 {
                await context.fire(context.poll(device), expecting: .refused("slow_down", error: "slow_down"))
            }
        },
    )
}
