internal import JOSE
internal import Jansson
internal import OpenSSL
package import Providers
internal import SecondFactors
package import Standards
internal import Stores
internal import Verification

extension DeviceSignIn {
    /// The name of the cookie that identifies the browser.
    package static let browserCookie = "device"

    /// Returns the form for a user code, for `GET /device`.
    ///
    /// It reads and writes nothing in the store.
    package func deviceForm(browser cookie: Secret?) throws -> DeviceForm {
        try deviceForm(.enterCode, for: try knownBrowser(cookie))
    }

    /// Checks that a form is the one for the user code, and belongs to this browser, before the server counts a guess.
    package func checkCodeForm(_ form: Secret, browser cookie: Secret?) throws {
        guard try opened(form, cookie).step == .enterCode else { throw Refusal.unknownForm }
    }

    /// Finds the device of a user code.
    ///
    /// It changes nothing in the store.
    package func findDevice(
        _ code: UserCode, form: Secret, browser cookie: Secret?
    ) async throws -> DevicePrompt {
        let (step, browser, _) = try opened(form, cookie)
        guard step == .enterCode else { throw Refusal.unknownForm }
        return try await prompt(for: code) { try deviceForm(.confirm(code), for: browser) }
    }

    /// Returns the page of a form again, for another language of it.
    ///
    /// It changes nothing in the store, and the form keeps its end. It is not a guess, because the form contains a code
    /// only after the code was found.
    package func page(of form: Secret, browser cookie: Secret?) async throws -> DevicePage {
        let (step, _, cookie) = try opened(form, cookie)
        let same = DeviceForm(field: form, browser: FlowCookie(name: Self.browserCookie, value: cookie))
        switch step {
        case .enterCode: return .enterCode(same)
        case .confirm(let code): return .confirm(try await prompt(for: code) { same })
        case .approve(let code, _, let provider, let person):
            let client = try registrations.client(try await grant(of: code).grant.client, for: .deviceCode)
            return .approve(
                DeviceApproval(client: client, provider: provider, person: person, form: same))
        }
    }

    /// Returns the content of the page that asks the person to confirm a device.
    ///
    /// - Parameter form: Makes the form of the page, after the device was found.
    /// - Throws: ``DeviceRefusal/unknownUserCode``, or the error of the store, of the configuration or of the form.
    private func prompt(
        for code: UserCode, in form: () throws -> DeviceForm
    ) async throws -> DevicePrompt {
        let (grant, state) = try await grant(of: code)
        guard state == .pending || state == .claimed || state == .verified else { throw Refusal.unknownUserCode }
        let client = try registrations.client(grant.client, for: .deviceCode)
        let choices = registrations.providers(of: client).filter { provider in
            provider.allows(scopes: grant.scopes, flow: nil)
                && ([nil, provider.id].contains(grant.provider))
        }
        return DevicePrompt(client: client, userCode: code, providers: choices, form: try form())
    }

    /// Sends the person to the provider after they confirmed the device.
    ///
    /// From then on, only this browser can use the user code.
    package func signIn(
        deviceAt providerID: ProviderID, form: Secret, browser cookie: Secret?
    ) async throws -> AuthorizationStep {
        let (step, browser, _) = try opened(form, cookie)
        guard case .confirm(let code) = step else { throw Refusal.unknownForm }
        let (grant, _) = try await grant(of: code)
        let client = try registrations.client(grant.client, for: .deviceCode)
        let provider = try registrations.authorize(client.id, providerID).provider
        guard [nil, providerID].contains(grant.provider) else { throw Refusal.unknownProvider }
        let owner = Self.owner(browser)
        let isOurs = try await deviceGrants.claim(userCodeDigest: code.digest, owner: owner, at: time.now())
        guard isOurs else { throw Refusal.takenUserCode }
        let begun = try await authorization.begin(
            SignInRequest(
                client: client.id, provider: providerID, redirectURI: registrations.callbackURI(of: providerID),
                scopes: provider.sent(grant.scopes), parameters: [:], flow: nil), at: provider)
        return .leave(
            to: Secret(begun.url),
            keeping: try flows.cookie(
                .device(userCode: code.text, browser: browser),
                upstreamRequest: SealedFlow.UpstreamRequest(provider: providerID, binding: begun.binding),
                handle: begun.binding.handle))
    }

    /// Returns the client whose device shows a user code.
    func client(ofUserCode text: String) async throws -> RegisteredClient {
        guard let code = UserCode(typed: text) else { throw Refusal.unknownForm }
        return try registrations.client(try await grant(of: code).grant.client, for: .deviceCode)
    }

    /// Checks that a grant waits for the identity of the person who confirmed its user code.
    ///
    /// - Throws: A refusal as ``verified(_:isLinked:proving:userCode:browser:)`` would.
    func requireClaimed(userCode text: String) async throws {
        guard let code = UserCode(typed: text) else { throw Refusal.unknownForm }
        guard try await grant(of: code).state == .claimed else { throw Refusal.takenUserCode }
    }

    /// Stores the verified identity until the person approves the device.
    ///
    /// - Parameters:
    ///   - isLinked: Whether the person has linked it to an existing account during this flow.
    ///   - browser: The browser that confirmed the user code.
    /// - Throws: A refusal if the grant has ended, or belongs to another browser;
    ///   ``Refusal/emailDomainNotAllowed`` if the client does not allow the address of the person.
    func verified(
        _ identity: VerifiedIdentity, isLinked: Bool, proving factor: ProvenFactor?,
        userCode text: String, browser: String
    ) async throws -> DeviceApproval {
        let kept = try await keep(
            identity, isLinked: isLinked, proving: factor, userCode: text, browser: browser)
        let person = Self.description(of: identity)
        let provider = registrations.providers[identity.provider]?.name ?? ""
        return DeviceApproval(
            client: kept.client, provider: provider, person: person,
            form: try deviceForm(
                .approve(kept.code, payload: kept.payloadDigest, provider: provider, person: person), for: browser))
    }

    /// Stores an identity whose conflict its person could not settle on a page, for the next poll.
    ///
    /// - Parameter browser: The browser that confirmed the user code.
    /// - Throws: The errors of ``verified(_:isLinked:proving:userCode:browser:)``.
    func refused(
        _ identity: VerifiedIdentity, userCode text: String, browser: String
    ) async throws {
        let kept = try await keep(identity, isRefused: true, userCode: text, browser: browser)
        // The person has agreed on the page of the conflict, so that there is no further page.
        let isOurs = try await deviceGrants.approve(
            userCodeDigest: kept.code.digest, owner: Self.owner(browser), payloadDigest: kept.payloadDigest,
            at: time.now())
        guard isOurs else { throw Refusal.takenUserCode }
    }

    private func keep(
        _ identity: VerifiedIdentity, isLinked: Bool = false, isRefused: Bool = false,
        proving factor: ProvenFactor? = nil, userCode text: String, browser: String
    ) async throws -> (client: RegisteredClient, code: UserCode, payloadDigest: [UInt8]) {
        guard let code = UserCode(typed: text) else { throw Refusal.unknownForm }
        let (grant, _) = try await grant(of: code)
        let client = try registrations.client(grant.client, for: .deviceCode)
        // The person learns it on this page; without the check, only the device would.
        guard client.allowsDomain(of: identity) else { throw client.refusal(ofDomainOf: identity) }
        let sealedFactor = try secondFactors.sealed(factor)
        let payload = try identities.seal(
            identity, keepsTokens: client.returnsProviderTokens, keepsProfile: client.returnsProviderProfile,
            isLinked: isLinked, isRefused: isRefused, factor: sealedFactor,
            for: Self.holder(client.id, userCode: code.digest))
        let payloadDigest = SHA256.hash(Array(payload.utf8))
        let isOurs = try await deviceGrants.verify(
            userCodeDigest: code.digest, owner: Self.owner(browser), payload: payload,
            payloadDigest: payloadDigest, at: time.now())
        guard isOurs else { throw Refusal.takenUserCode }
        return (client, code, payloadDigest)
    }

    /// Records that the sign-in of a device was refused.
    func deny(
        userCode text: String, browser: String, because denial: DeviceDenial
    ) async throws {
        guard let code = UserCode(typed: text) else { throw Refusal.unknownForm }
        let isDone = try await deviceGrants.deny(
            userCodeDigest: code.digest, owner: Self.owner(browser), because: denial, at: time.now())
        // The grant has expired, or was approved in another tab.
        guard isDone else { throw Refusal.unknownUserCode }
    }

    /// Records the decision of the person.
    ///
    /// A refusal is accepted at every step.
    package func decide(
        approving: Bool, form: Secret, browser cookie: Secret?
    ) async throws -> DeviceDecision {
        let (step, browser, _) = try opened(form, cookie)
        let code: UserCode
        var payloadDigest: [UInt8] = []
        switch (step, approving) {
        case (.approve(let approved, let digest, _, _), _): (code, payloadDigest) = (approved, digest)
        case (.confirm(let refused), false): code = refused
        case (.confirm, true), (.enterCode, _): throw Refusal.unknownForm
        }
        let client = try registrations.client(try await grant(of: code).grant.client, for: .deviceCode)
        let owner = Self.owner(browser)
        let isDone =
            approving
            ? try await deviceGrants.approve(
                userCodeDigest: code.digest, owner: owner, payloadDigest: payloadDigest, at: time.now())
            : try await deviceGrants.deny(
                userCodeDigest: code.digest, owner: owner, because: .refused, at: time.now())
        guard !isDone else { return DeviceDecision(client: client, isApproved: approving) }
        // A browser drops the response to the first press of a button if the person presses it again.
        let (_, state) = try await grant(of: code)
        switch (state, approving) {
        case (.approved, true), (.denied, false): return DeviceDecision(client: client, isApproved: approving)
        case (.approved, false), (.denied, true):
            throw Refusal.submittedForm
        case (.pending, _), (.claimed, _), (.verified, _): throw Refusal.takenUserCode
        }
    }

    private func grant(
        of code: UserCode
    ) async throws -> (grant: DeviceGrant, state: DeviceGrantState) {
        let found = try await deviceGrants.deviceGrant(userCodeDigest: code.digest, at: time.now())
        guard let found else { throw Refusal.unknownUserCode }
        return found
    }

    private func deviceForm(
        _ step: SealedDeviceForm.Step, for browser: String
    ) throws -> DeviceForm {
        let form = SealedDeviceForm(step: step, expiresAt: time.now() + SealedDeviceForm.lifetime)
        let field = try seal.seal(form.json, as: .deviceForm, for: browser)
        let cookie = try seal.seal(.object(["id": .string(browser)]), as: .browser, for: Self.browserCookie)
        return DeviceForm(
            field: Secret(field), browser: FlowCookie(name: Self.browserCookie, value: Secret(cookie)))
    }

    private func opened(
        _ form: Secret, _ cookie: Secret?
    ) throws -> (step: SealedDeviceForm.Step, browser: String, cookie: Secret) {
        guard let cookie else { throw Refusal.unknownForm }
        guard
            let browser = browser(cookie),
            let content = seal.open(form.secretText, as: .deviceForm, for: browser).flatMap(SealedDeviceForm.init)
        else { throw Refusal.unknownForm.unopened(.ofClient, "the form, or the cookie of its browser") }
        guard time.now() < content.expiresAt else {
            // The code of a later step is older than the form of that step.
            guard content.step == .enterCode else { throw Refusal.unknownUserCode }
            throw Refusal.expiredForm
        }
        return (content.step, browser, cookie)
    }

    private func browser(_ cookie: Secret?) -> String? {
        guard let cookie else { return nil }
        return seal.open(cookie.secretText, as: .browser, for: Self.browserCookie)?["id"]?.string
    }

    private func knownBrowser(_ cookie: Secret?) throws -> String {
        if let known = browser(cookie) { return known }
        return try random.unguessableText()
    }

    /// Returns the name and the address of a person.
    ///
    /// People choose their names, so that the address distinguishes two people with the same name.
    private static func description(of identity: VerifiedIdentity) -> String {
        let profile = identity.profile
        let facts = [profile.name ?? profile.screenName.map { "@" + $0 }, profile.email].compactMap(\.self)
        return facts.isEmpty ? identity.subject.text : facts.joined(separator: ", ")
    }

    private static func owner(_ browser: String) -> [UInt8] {
        SHA256.hash(Array("token-exchange browser\0\(browser)".utf8))
    }
}

/// A form of the device pages: its hidden field, and the cookie that identifies the browser.
package struct DeviceForm: Sendable {
    package let field: Secret
    package let browser: FlowCookie
}

/// A page of `/device` with its content.
package enum DevicePage: Sendable {
    case enterCode(DeviceForm)
    case confirm(DevicePrompt)
    case approve(DeviceApproval)
}

/// The content of the page on which a person confirms a device, before the provider.
package struct DevicePrompt: Sendable {
    package let client: RegisteredClient
    package let userCode: UserCode
    package let providers: [Provider]
    package let form: DeviceForm
}

/// The content of the page on which a person approves a device, after the provider.
package struct DeviceApproval: Sendable {
    package let client: RegisteredClient
    package let provider: String
    /// The name of the person at the provider.
    package let person: String
    package let form: DeviceForm
}

/// The decision of a person about a device.
package struct DeviceDecision: Sendable {
    package let client: RegisteredClient
    package let isApproved: Bool
}
