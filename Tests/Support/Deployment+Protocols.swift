package import Providers

extension Deployment {
    package func openIDConnect(of provider: Provider) throws -> OpenIDConnect {
        guard let openIDConnect = provider.openIDConnect else { throw DeploymentError.noSuchProtocol }
        return openIDConnect
    }

    package var xOAuth1: OAuth1 {
        get throws {
            guard let oauth1 = x.oauth1 else { throw DeploymentError.noSuchProtocol }
            return oauth1
        }
    }

    package var xOAuth2: OAuth2 {
        get throws {
            guard let oauth2 = x.oauth2 else { throw DeploymentError.noSuchProtocol }
            return oauth2
        }
    }
}
