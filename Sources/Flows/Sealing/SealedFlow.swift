internal import JOSE
internal import Jansson
internal import OAuth
internal import Stores

/// The content of a flow's cookie.
struct SealedFlow {
    static let lifetime = Duration.seconds(600)

    let id: String
    let expiresAt: NumericDate
    let purpose: Purpose
    /// Nil until a provider is chosen.
    let leg: Leg?

    enum Purpose {
        case application(AuthorizationRequest)
        /// The page of a flow that `POST /v1/signin` began with an intent; it has no leg, for its answer goes to the
        /// application.
        case departure(Departure)
        /// A user code, and the browser that confirmed it.
        case device(userCode: String, browser: String)
    }

    /// The part of the way that leads through the provider.
    struct Leg {
        let provider: ProviderID
        let binding: SealedSession.Binding
    }

    var beganAt: NumericDate { expiresAt - Self.lifetime }

    var record: SpentRecord {
        SpentRecord(.flow, of: [Array(id.utf8)], issuedAt: beganAt, expiresAt: expiresAt + .seconds(60))
    }

    var json: JSON {
        var members: [String: JSON] = ["id": .string(id), "exp": .integer(expiresAt.seconds)]
        switch purpose {
        case .application(let request): members["request"] = request.json
        case .departure(let departure): members["departure"] = departure.json
        case .device(let userCode, let browser):
            members["user_code"] = .string(userCode)
            members["browser"] = .string(browser)
        }
        if let leg {
            members["provider"] = .string(leg.provider.text)
            members["binding"] = .object(leg.binding.members)
        }
        return .object(members)
    }

    init(id: String, expiresAt: NumericDate, purpose: Purpose, leg: Leg?) {
        self.id = id
        self.expiresAt = expiresAt
        self.purpose = purpose
        self.leg = leg
    }

    init?(_ content: JSON) {
        guard let id = content["id"]?.string, let expiry = content["exp"]?.integer else { return nil }
        if let request = content["request"].flatMap(AuthorizationRequest.init) {
            purpose = .application(request)
        } else if let departure = content["departure"].flatMap(Departure.init) {
            purpose = .departure(departure)
        } else if let userCode = content["user_code"]?.string, let browser = content["browser"]?.string {
            purpose = .device(userCode: userCode, browser: browser)
        } else {
            return nil
        }
        self.id = id
        expiresAt = NumericDate(expiry)
        if let provider = content["provider"]?.string,
            let binding = content["binding"].flatMap(SealedSession.Binding.init)
        {
            leg = Leg(provider: ProviderID(provider), binding: binding)
        } else {
            leg = nil
        }
    }
}
