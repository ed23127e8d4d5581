// What the example of TokenExchangeClient uses of the Firebase SDK.

public import Foundation

public final class FirebaseApp: NSObject {
    public class func configure() {}
}
