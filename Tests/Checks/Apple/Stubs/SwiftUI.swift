// What TokenExchangeClient and its example use of SwiftUI.

public import Combine
public import Foundation

// MARK: - Applications

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor var body: Body { get }
    @MainActor init()
}

extension App {
    @MainActor public static func main() {}
}

@MainActor @preconcurrency public protocol Scene {}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
}

// MARK: - Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

public protocol LeafView: View where Body == Never {}

extension LeafView {
    public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView { fatalError() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { fatalError() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> { fatalError() }
}

public struct TupleView: LeafView {}
public struct Either<First: View, Second: View>: LeafView {}
extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}
extension Optional: LeafView where Wrapped: View {}

public struct Text: LeafView {
    public init<Content: StringProtocol>(_ content: Content) {}
}

public struct TextField: LeafView {
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {}
}

public struct VStack<Content: View>: LeafView {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct ButtonRole: Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}

public struct Button: LeafView {
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
    public init<Title: StringProtocol>(_ title: Title, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
}

@propertyWrapper public struct Binding<Value> {
    public init(projectedValue: Binding<Value>) {}
    public var projectedValue: Binding<Value> { self }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}

@MainActor @propertyWrapper public struct StateObject<Model: ObservableObject> {
    public init(wrappedValue: @autoclosure @escaping () -> Model) {}
    public var wrappedValue: Model { fatalError() }
    public var projectedValue: Wrapper { fatalError() }

    @MainActor @dynamicMemberLookup public struct Wrapper {
        public subscript<Value>(dynamicMember path: ReferenceWritableKeyPath<Model, Value>) -> Binding<Value> {
            fatalError()
        }
    }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

@MainActor public struct OpenURLAction {
    public func callAsFunction(_ url: URL) {}
}

public struct EnvironmentValues: Sendable {
    public var openURL: OpenURLAction { fatalError() }
}

@propertyWrapper public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}

extension View {
    @available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
    public func confirmationDialog<Title: StringProtocol, Actions: View, Message: View>(
        _ title: Title, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View { Text("") }
}
