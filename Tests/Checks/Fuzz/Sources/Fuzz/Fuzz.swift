import Foundation

/// The function that libFuzzer calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.check(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// The target that the variable FUZZ_TARGET names.
private let chosen: Target = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = Target.all.first(where: { $0.name == name }) else {
        complain("FUZZ_TARGET names no target; there are: " + Target.all.map(\.name).joined(separator: " "))
        exit(64)
    }
    return target
}()
