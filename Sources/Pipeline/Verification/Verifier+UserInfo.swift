internal import Jansson
internal import OAuth
internal import Providers
internal import Transport

extension Verifier {
    /// The profile that the userinfo endpoint adds (OpenID Connect Core §5.3); empty where it does not answer, since
    /// the ID token has already said who this is.
    ///
    /// - Throws: A malformed response, when the answer is about somebody else (§5.3.2), or about nobody.
    func userInfo(
        _ accessToken: AccessToken, subject: String, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws(VerificationError) -> Profile {
        guard let url = try? await openIDConnect.endpoints().userInfo else { return Profile() }
        let request = OutboundRequest(
            .get, url, header: [bearer(accessToken), HeaderField("Accept", "application/json")],
            timeout: provider.timeout)
        guard let response = try? await transport.send(request), response.status == 200 else { return Profile() }
        do throws(ProviderFailure) {
            let answer = try response.jsonObject()
            let mapping = ProfileMapping.openIDConnect
            guard let answered = mapping.subject(in: answer), answered.utf8.elementsEqual(subject.utf8) else {
                throw ProviderFailure.malformedResponse("sub")
            }
            return mapping.profile(in: answer, trusting: provider.emailTrust)
        } catch {
            throw .provider(error, givenBack: false)
        }
    }

    func bearer(_ accessToken: AccessToken) -> HeaderField {
        HeaderField("Authorization", "Bearer " + accessToken.secret.secretText)
    }
}
