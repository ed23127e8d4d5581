internal import Jansson
internal import OAuth
internal import Providers
internal import Transport

extension Verifier {
    /// The profile that the userinfo endpoint adds (OpenID Connect Core §5.3); empty if there is no such endpoint,
    /// since the ID token has already said who this is.
    ///
    /// - Throws: A malformed response, when the answer is about somebody else (§5.3.2), or about nobody.
    func userInfo(
        _ accessToken: AccessToken, subject: String, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws(VerificationError) -> FoundProfile {
        let endpoint: String?
        do {
            endpoint = try await openIDConnect.endpoints().userInfo
        } catch {
            throw .provider(.document(error), givenBack: false)
        }
        guard let endpoint else { return FoundProfile(profile: Profile(), refusal: nil) }
        let response = try await send(
            OutboundRequest(
                .get, endpoint, header: [bearer(accessToken), HeaderField("Accept", "application/json")],
                timeout: provider.timeout
            ).queued(in: provider.queue(.user)))
        do throws(ProviderFailure) {
            guard response.status == 200 else { throw ProviderFailure(response) }
            let answer = try response.jsonObject()
            let mapping = ProfileMapping.openIDConnect
            guard let answered = mapping.subject(in: answer), answered.utf8.elementsEqual(subject.utf8) else {
                throw ProviderFailure.malformedResponse("sub")
            }
            return FoundProfile(profile: mapping.profile(in: answer, trusting: provider.emailTrust), refusal: nil)
        } catch {
            throw .provider(error, givenBack: false)
        }
    }

    func bearer(_ accessToken: AccessToken) -> HeaderField {
        HeaderField("Authorization", "Bearer " + accessToken.secret.secretText)
    }
}
