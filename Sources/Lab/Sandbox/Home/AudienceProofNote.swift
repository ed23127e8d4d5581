/// What an `audience_proof` says, in one sentence.
package enum AudienceProofNote {
    /// Nil for a proof that is not known here.
    package static func sentence(for proof: String) -> String? {
        switch proof {
        case "authorization_code":
            """
            The server redeemed the code with its own client credentials, and a provider redeems a code only for the \
            application it was issued to.
            """
        case "id_token_aud":
            "The ID token names this deployment’s own client id in aud, under the provider’s signature."
        case "consumer_signature":
            """
            X accepted the token under this deployment’s own consumer signature, which it does only for tokens that were \
            issued to it.
            """
        case "introspection":
            "The provider, asked about the token, named this deployment’s own client id."
        default: nil
        }
    }
}
