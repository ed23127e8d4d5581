/// A device that polls too late, too often, or too fast.
enum DevicePolls {
    static let all = Section(.device, .high, needs: [.standIns, .deviceGrant]).attacks(
        .attack(
            "DG-03a", "A device code is polled after its ten minutes, pending.", oracle: "400 expired_token.",
            source: "RFC 8628 3.5", needs: [.standIns, .processes, .clock, .deviceGrant]
        ) { strike in
            try await strike.withServer("late-device") { server, bed in
                let device = try await strike.device(wire: server.wire)
                await strike.expect(device.lifetime <= 600, .wrongAnswer, "A code is good for \(device.lifetime) s.")
                let visitor = DeviceVisitor(strike, wire: server.wire)
                let form = try await visitor.confirm(device)
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 700)
                await strike.fire(strike.poll(device), expecting: .expiredDevice, at: server.wire)
                await strike.fire(
                    await visitor.choosing("yahoo.com", form: form), expecting: .page(), at: server.wire)
                let fresh = try await visitor.open()
                await strike.fire(
                    await visitor.typing(device.userCode, form: fresh), expecting: .page(), at: server.wire)
            }
        },
        .attack(
            "DG-05a", "The device polls again after it was signed in.", oracle: "400 replayed.", source: "RFC 8628 3.5"
        ) { strike in
            let device = try await strike.device()
            try await DeviceVisitor(strike).approve(device)
            try await strike.collect(device)
            for _ in 0..<3 { await strike.fire(strike.poll(device), expecting: .refused("replayed")) }
        },
        .attack(
            "DG-05b", "The device polls again after it was refused.", severity: .medium,
            oracle: "400 access_denied once, then replayed.", source: "RFC 8628 3.5"
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
            let form = try await visitor.confirm(device)
            _ = try await visitor.answer(to: await visitor.deciding("deny", form: form), status: 200)
            await strike.fire(strike.poll(device), expecting: .deniedDevice)
            await strike.fire(strike.poll(device), expecting: .refused("replayed"))
        },
        .attack(
            "DG-20", "An approved device code is polled fifty times at once.", oracle: "One custom token.",
            source: "CVE-2026-53518"
        ) { strike in
            let device = try await strike.device()
            try await DeviceVisitor(strike).approve(device)
            await strike.volley(
                [Request](repeating: strike.poll(device), count: 50), losers: .refused("replayed"))
        },
        .attack(
            "DG-21", "A device polls as fast as it can.", severity: .low,
            oracle: "slow_down, never 429 and never a token; the interval grows.", source: "RFC 8628 3.5",
            needs: [.deviceGrant]
        ) { strike in
            let device = try await strike.device()
            await strike.fire(
                strike.poll(device), expecting: .refused("authorization_pending", error: "authorization_pending"))
            for _ in 0..<20 {
                await strike.fire(strike.poll(device), expecting: .refused("slow_down", error: "slow_down"))
            }
        },
    )
}
