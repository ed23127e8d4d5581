/// Our own ids and secrets at the providers, and what is registered there.
struct Registrations: Sendable {
    struct Registration: Sendable {
        let clientID: String
        let clientSecret: String
        let redirectURIs: [String]
    }

    let yahoo: Registration
    let x: Registration
    let consumer: (key: String, secret: String)
}
