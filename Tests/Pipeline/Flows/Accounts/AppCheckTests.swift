import Firebase
import Fixtures
import Flows
import Jansson
import Standards
import Support
import Testing

@Suite("App Check of a client")
struct AppCheckTests {
    private static let app = "1:1234567890:ios:abcdef"

    /// Clients `c0`, `c1`… with these rules.
    private func deployment(_ rules: [AppCheckRule]) throws -> Deployment {
        try Deployment { plan in
            plan.clients = rules.enumerated().map { number, rule in
                DeploymentPlan.client(ClientID("c\(number)"), appCheck: rule)
            }
        }
    }

    private func token(_ change: (inout IDTokenBuilder) -> Void = { _ in }) throws -> String {
        var builder = IDTokenBuilder.appCheck()
        change(&builder)
        return try builder.compact()
    }

    @Test("A request with a client_id is checked by the rule of that client; an unknown client has none")
    func named() throws {
        let flows = try deployment([.off, .required(apps: []), .log(apps: ["a"])]).flows
        #expect(flows.appCheck.rule(of: ClientID("c0")) == .off)
        #expect(flows.appCheck.rule(of: ClientID("c1")) == .required(apps: []))
        #expect(flows.appCheck.rule(of: ClientID("c2")) == .log(apps: ["a"]))
        #expect(flows.appCheck.rule(of: ClientID("nobody")) == .off)
    }

    @Test(
        "A request without a client_id is checked by the weakest rule",
        arguments: [
            ([.off], .off), ([.required(apps: []), .off], .off), ([.off, .log(apps: []), .required(apps: [])], .off),
            ([.log(apps: []), .required(apps: ["a"])], .log(apps: [])),
            ([.required(apps: ["a"])], .required(apps: ["a"])),
            ([.required(apps: ["a"]), .required(apps: ["b", "c"])], .required(apps: ["a", "b", "c"])),
            ([.required(apps: ["a"]), .required(apps: [])], .required(apps: [])),
        ] as [([AppCheckRule], AppCheckRule)])
    func unnamed(_ rules: [AppCheckRule], _ weakest: AppCheckRule) throws {
        #expect(try deployment(rules).flows.appCheck.rule(of: nil) == weakest)
    }

    @Test("With a rule, a token of the project's applications passes, and no other")
    func required() async throws {
        let deployment = try deployment([.required(apps: [])])
        for client in [ClientID("c0"), nil] {
            #expect(try await deployment.flows.appCheck.check(token(), of: client) == nil)
            await expectRefusal(Reason.appCheckRequired) {
                try await deployment.flows.appCheck.check(nil, of: client)
            }
            await expectRefusal(Reason.appCheckInvalid) {
                try await deployment.flows.appCheck.check(
                    token {
                        $0.claims["iat"] = .integer(1_699_990_000)
                        $0.claims["exp"] = .integer(1_699_993_600)
                    }, of: client)
            }
        }
    }

    @Test("A client's applications are its own")
    func apps() async throws {
        let deployment = try deployment([.required(apps: [Self.app]), .required(apps: ["another"])])
        #expect(try await deployment.flows.appCheck.check(token(), of: ClientID("c0")) == nil)
        await expectRefusal(Reason.appCheckInvalid) {
            try await deployment.flows.appCheck.check(token(), of: ClientID("c1"))
        }
        #expect(try await deployment.flows.appCheck.check(token(), of: nil) == nil)
    }

    @Test("A rule that only logs reports the failure, and refuses no request")
    func log() async throws {
        let deployment = try deployment([.log(apps: ["another"])])
        #expect(try await deployment.flows.appCheck.check(nil, of: ClientID("c0"))?.reason == .appCheckRequired)
        let refusal = try await deployment.flows.appCheck.check(token(), of: ClientID("c0"))
        let named = "the App Check token is that of the application \(Self.app)"
        #expect(refusal?.finding == "\(named), which app_check_apps of the client does not name")
        // Another token of the same app would be refused as well.
        #expect(refusal?.description.hasSuffix("Add it to app_check_apps of the client.") == true)
    }

    @Test("Without a rule nothing is looked at")
    func off() async throws {
        let deployment = try deployment([.off])
        #expect(try await deployment.flows.appCheck.check(nil, of: ClientID("c0")) == nil)
        #expect(try await deployment.flows.appCheck.check("no token", of: nil) == nil)
        #expect(deployment.peer.requests.isEmpty)
    }
}
