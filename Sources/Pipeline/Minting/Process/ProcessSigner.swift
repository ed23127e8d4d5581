internal import JOSE
internal import Jansson
internal import Transport

/// The client of the process that holds the key.
struct ProcessSigner: Sendable {
    let projectID: String
    let calls: FrameCalls

    /// Has a token signed.
    ///
    /// - Throws: ``MintingError/overloaded`` if the other process has too much to do, or its rate is exceeded.
    func token(_ kind: SignerQuestion.Kind) async throws(MintingError) -> String {
        guard case .token(let token) = try await answer(to: kind) else { throw .process(.malformedAnswer) }
        return token
    }

    /// Checks that the other process answers and signs.
    func check() async throws(MintingError) {
        guard try await answer(to: .check) == .checked else { throw .process(.malformedAnswer) }
    }

    private func answer(to kind: SignerQuestion.Kind) async throws(MintingError) -> SignerAnswer {
        let question = SignerQuestion(projectID: projectID, kind: kind)
        let bytes: [UInt8]
        do throws(FrameCallError) {
            bytes = try await calls.ask(question.json.serialized())
        } catch .overloaded {
            throw .overloaded
        } catch {
            throw .process(.unreachable(error))
        }
        guard let answer = SignerAnswer.parse(bytes) else { throw .process(.malformedAnswer) }
        switch answer {
        case .refused(.overloaded), .refused(.rateExceeded): throw .overloaded
        case .refused(let refusal): throw .process(.refused(refusal))
        case .token, .checked: return answer
        }
    }
}
