/// Whether a client has to show that it is one of the project's applications (Firebase App Check).
package enum AppCheckRule: Sendable, Equatable {
    case off
    /// A token that is missing or wrong is told to the operator, and stops nobody.
    case log(apps: Set<String>)
    /// With the Firebase ids of the applications that count; all of the project's where there are none.
    case required(apps: Set<String>)
}
