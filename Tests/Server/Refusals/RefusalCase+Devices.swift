import Jansson

/// What a device is told instead of a token (RFC 8628 §3.5).
extension RefusalCase {
    static let devices: [Self] = [
        Self("nobody has typed the code", "authorization_pending") { street in
            try await street.beginDevice().poll(after: 0)
        },
        Self("the person has not given the last word", "authorization_pending") { street in
            let device = try await street.beginDevice()
            var visitor = Visitor(street)
            _ = try await visitor.verify(device.userCode)
            return try await device.poll()
        },
        Self("the device asks too fast", "slow_down") { street in
            let device = try await street.beginDevice()
            _ = try await device.poll(after: 0)
            return try await device.poll(after: 4)
        },
        Self("the device code is ten minutes old", "expired_token") { street in
            try await street.beginDevice().poll(after: 600)
        },
        Self("the person said no", "access_denied") { street in
            let device = try await street.beginDevice()
            var visitor = Visitor(street)
            _ = try await visitor.decide("deny", on: try await visitor.enter(device.userCode))
            return try await device.poll()
        },
        Self("the device code was used", "replayed") { street in
            let device = try await street.beginDevice()
            var visitor = Visitor(street)
            _ = try await visitor.decide("approve", on: try await visitor.verify(device.userCode))
            _ = try await device.poll()
            return try await device.poll()
        },
        Self("the device code is another client's", "code_rejected") { street in
            try await street.beginDevice().poll(["client_id": "my-app"])
        },
        Self("the client may not sign devices in", "unauthorized_client") { street in
            try await street.form("/device_authorization", ["client_id": "x-only"])
        },
    ]
}
