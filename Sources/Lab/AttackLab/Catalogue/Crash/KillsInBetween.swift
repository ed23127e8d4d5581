internal import Jansson

extension Catalogue {
    static let killsInBetween = Section(.crash, .critical, needs: [.processes, .standIns]).attacks(
        .attack(
            "CR-02a", "The server is killed before it can record that a credential is used.",
            oracle: "The credential is accepted once, or refused with issued_unwatched.", source: "catalogue SR-09"
        ) { context in
            try await context.onOwnServer("before") { target, server, bed in
                let (request, _) = try await target.genuine()
                let lock = try WriteLock(database: "\(bed.folder)/\(server.name).db")
                async let cut = target.lab.server.send(request, from: target.source, within: .seconds(5))
                try await Task.sleep(for: .milliseconds(300))
                await bed.kill(server)
                if let answer = await cut.answer {
                    await context.found(
                        .wrongAnswer, "The server responded with \(answer.status) to a sign-in without recording it.")
                }
                lock.release()
                try await bed.restart(server)
                await target.expectOnceAtMost(request)
            }
        },
        .attack(
            "CR-02b", "The server is killed while the provider processes a code.",
            oracle:
                "The server records the code as used before it calls the provider, and refuses it after the restart.",
            source: "catalogue SR-09; RFC 9700 4.2.4"
        ) { context in
            try await context.onOwnServer("between") { target, server, bed in
                let requests = [target.exchange(try await target.yahooCode()), try await target.sessionExchange()]
                let before = try await target.mark()
                try await target.standIns.fault(["target": "yahoo.token", "delay_ms": 3000])
                async let first = target.lab.server.send(requests[0], from: target.source, within: .seconds(5))
                async let second = target.lab.server.send(requests[1], from: target.source, within: .seconds(5))
                try await Task.sleep(for: .milliseconds(500))
                await bed.kill(server)
                guard await [first, second].allSatisfy({ $0.answer == nil }) else {
                    throw Inconclusive("The server was killed after the provider had processed a code.")
                }
                try await target.standIns.reset()
                try await bed.restart(server)
                try await target.awaitCalls(of: "yahoo.token", count: 2, since: before)
                let mark = try await target.mark()
                for request in requests { await target.fire(request, expecting: .used) }
                try await target.expectCalls(["yahoo.token": 0], since: mark)
            }
        },
        .attack(
            "CR-02c", "The server is killed during sixty sign-ins.",
            oracle: "Every credential that got a response is recorded; none succeeds twice.", source: "catalogue SR-09",
            needs: [.processes, .standIns, .bulk]
        ) { context in
            try await context.onOwnServer("amid") { target, server, bed in
                var requests: [Request] = []
                for _ in 0..<60 { requests.append(try await target.genuine().request) }
                let answered = await withTaskGroup(of: (Int, Bool).self) { group in
                    for (index, request) in requests.enumerated() {
                        group.addTask {
                            let reply = await target.lab.server.send(request, from: target.source, within: .seconds(10))
                            return (index, reply.answer?.status == 200)
                        }
                    }
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(60))
                        await bed.kill(server)
                        return (-1, false)
                    }
                    var answered: Set<Int> = []
                    for await (index, wasAnswered) in group where wasAnswered { answered.insert(index) }
                    return answered
                }
                try await bed.restart(server)
                for (index, request) in requests.enumerated() {
                    if answered.contains(index) {
                        await target.fire(request, expecting: .used)
                    } else {
                        // The tester cannot know whether the credential was used before the kill.
                        await target.expectOnceAtMost(request)
                    }
                }
            }
        },
        .attack(
            "CR-02d", "The server is killed during twenty callbacks and redemptions.",
            oracle: "No flow yields two codes, and no code is redeemed twice.", source: "catalogue SR-09",
            needs: [.processes, .browserFlow]
        ) { context in
            try await context.onOwnServer("amid") { target, server, bed in
                var requests: [Request] = []
                for number in 0..<20 {
                    if number % 2 == 0 {
                        let (code, flow) = try await target.handoff(user: "carol")
                        requests.append(target.redeem(code, flow))
                    } else {
                        let flow = try await target.begin()
                        requests.append(await target.callback(try await target.approve(flow), in: flow.browser))
                    }
                }
                await withTaskGroup(of: Void.self) { group in
                    for request in requests {
                        group.addTask {
                            _ = await target.lab.server.send(request, from: target.source, within: .seconds(10))
                        }
                    }
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(40))
                        await bed.kill(server)
                    }
                }
                try await bed.restart(server)
                for (index, request) in requests.enumerated() {
                    _ = await target.lab.server.send(request, from: target.source)
                    // The application learns by a redirect that the store may lack records of the flow's time.
                    await target.fire(
                        request,
                        expecting: index % 2 == 0 ? .refused("replayed", "code_rejected") : .status(303, 400))
                }
            }
        },
        .attack(
            "CR-14", "The server gets SIGTERM while it processes a code and receives other requests.", severity: .high,
            oracle: "The server completes requests in progress; later ones get 503 or no connection.",
            source: "token-exchange API"
        ) { context in
            try await context.onOwnServer("drained") { target, server, bed in
                let request = target.exchange(try await target.yahooCode())
                try await target.standIns.fault(["target": "yahoo.token", "delay_ms": 1200])
                async let underWay = target.lab.server.send(request, from: target.source, within: .seconds(10))
                try await Task.sleep(for: .milliseconds(300))
                await bed.send(15, to: server)
                try await Task.sleep(for: .milliseconds(200))
                await target.fire(
                    target.nonceRequest,
                    expecting: .refused("draining", status: 503, error: "temporarily_unavailable").orClosed)
                await target.expectAnswer(await underWay, [200], to: "A sign-in that was in progress")
                try await target.standIns.reset()
                await bed.kill(server)
                try await bed.restart(server)
                await target.fire(request, expecting: .refused("replayed"))
            }
        },
    )
}
