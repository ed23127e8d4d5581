package import Firebase
package import JOSE
internal import Jansson
package import LocalSockets
@_spi(SigningProcess) package import Minting
internal import Synchronization

/// Answers the questions of servers with the key of a service account.
package struct SignerService: Sendable {
    /// Writes a line of the audit trail, and returns `false` if it was not written.
    package typealias Audit = @Sendable (SignerEvent) async -> Bool

    /// The only scope that a server needs.
    ///
    /// With `cloud-platform` a server that was taken over could use every other permission of the service account.
    private static let scopes = ["https://www.googleapis.com/auth/identitytoolkit"]
    /// A server uses an assertion at once.
    ///
    /// It should be worth nothing soon after a server that was taken over is cleaned.
    private static let assertionLifetime = Duration.seconds(300)

    private let account: ServiceAccount
    private let signer: CustomTokenSigner
    private let rules: SignerRules
    private let rate: SigningRate
    private let otherRate: SigningRate
    private let refusalRate: SigningRate
    private let omitted = OmittedLines()
    private let users: Set<UInt32>
    private let time: TimeSource
    private let audit: Audit

    /// - Parameters:
    ///   - account: The service account, whose key signs access token assertions.
    ///   - signer: A signer with the same key.
    ///   - rate: The limit for custom tokens.
    ///   - otherRate: The limit for other signatures.
    ///   - refusalRate: The limit for the audit lines of refusals, which takes nothing from signatures.
    ///   - users: The users whose processes may ask.
    ///   - time: The clock, from which all times of tokens are.
    ///   - audit: Writes the audit trail. A token is given out only after its line was written.
    package init(
        account: ServiceAccount, signer: CustomTokenSigner, rules: SignerRules, rate: SigningRate,
        otherRate: SigningRate, refusalRate: SigningRate, users: Set<UInt32>, time: TimeSource,
        audit: @escaping Audit
    ) {
        self.account = account
        self.signer = signer
        self.rules = rules
        self.rate = rate
        self.otherRate = otherRate
        self.refusalRate = refusalRate
        self.users = users
        self.time = time
        self.audit = audit
    }

    /// Decides about a peer that has connected.
    ///
    /// - Returns: The message for a peer that may not ask; `nil` for one that may.
    package func refusal(of peer: LocalPeer) -> [UInt8]? {
        users.contains(peer.userID) ? nil : SigningResponse.refused(.peerNotAllowed).json.serialized()
    }

    /// Answers the question of a peer.
    ///
    /// - Parameter peer: The process that asks, which ``refusal(of:)`` has cleared.
    /// - Returns: The answer. The connection of a peer whose question cannot be read is closed.
    package func answer(to peer: LocalPeer, _ bytes: [UInt8]) async -> FrameServer.Answer {
        var question: SigningRequest?
        var answer: SigningResponse
        var isLast = false
        do throws(SignerRefusal) {
            let read = try SigningRequest.parse(bytes)
            question = read
            answer = try await decided(read)
        } catch {
            isLast = question == nil
            answer = .refused(error)
        }
        // A check happens every second, and signs nothing that leaves this process.
        if !answer.isOfCheck, await !record(answer.refusal, question?.kind, of: peer) {
            answer = .refused(.auditFailed)
        }
        return FrameServer.Answer(answer.json.serialized(), isLast: isLast)
    }

    /// Writes the line of a connection that was closed without an answer to a question.
    package func record(_ fault: FrameFault, of peer: LocalPeer) async {
        let refusal: SignerRefusal =
            switch fault {
            case .notAdmitted: .peerNotAllowed
            case .tooLarge, .truncated: .malformed
            }
        _ = await record(refusal, nil, of: peer)
    }

    /// Writes a line, and returns `false` if that failed.
    ///
    /// A flood of refusals must not push the lines of signatures out of a journal of limited size. Refusals over the rate
    /// are only counted, and the next line has their number.
    private func record(
        _ refusal: SignerRefusal?, _ question: SigningRequest.Kind?, of peer: LocalPeer
    ) async -> Bool {
        if refusal != nil, !refusalRate.take() {
            omitted.add()
            return true
        }
        return await audit(
            SignerEvent(
                milliseconds: time.milliseconds(), peer: peer, question: question, refusal: refusal,
                omittedRefusals: omitted.take()))
    }

    private func decided(_ question: SigningRequest) async throws(SignerRefusal) -> SigningResponse {
        try rules.check(question)
        switch question.kind {
        case .customToken:
            guard rate.take() else { throw .rateExceeded }
            return try await signed(question.kind)
        case .hookEvent:
            guard otherRate.take() else { throw .rateExceeded }
            return try await signed(question.kind)
        case .accessTokenAssertion:
            guard otherRate.take() else { throw .rateExceeded }
            do throws(AccessTokenError) {
                return .token(
                    try await AccessTokenSource.assertion(
                        of: account, scopes: Self.scopes, at: time.now(), lifetime: Self.assertionLifetime))
            } catch {
                throw .keyFailed
            }
        case .check:
            try await wrapping({ (_: MintingError) in SignerRefusal.keyFailed }, await signer.check(at: time.now()))
            guard let identity = signer.identity else { throw .keyFailed }
            return .checked(identity)
        }
    }

    private func signed(_ question: SigningRequest.Kind) async throws(SignerRefusal) -> SigningResponse {
        let token = try await wrapping(
            { (_: MintingError) in SignerRefusal.keyFailed },
            await signer.token(answering: question, issuedAt: time.now()))
        guard let token else { throw .malformed }
        return .token(token)
    }
}

/// Counts the refusals that have no line.
private final class OmittedLines: Sendable {
    private let count = Mutex<Int64>(0)

    func add() { count.withLock { $0 += 1 } }

    func take() -> Int64 {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}

extension SigningResponse {
    fileprivate var isOfCheck: Bool {
        if case .checked = self { true } else { false }
    }

    fileprivate var refusal: SignerRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }
}
