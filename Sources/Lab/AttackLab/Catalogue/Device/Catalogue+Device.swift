extension Catalogue {
    static let device: [Attack] = [
        DevicePolls.all,
        ForeignDeviceCodes.all,
        DeviceGuesses.all,
        DeviceBrowsers.all,
        DevicePages.all,
        DeviceAccounts.all,
        DeviceRefusals.all,
    ].flatMap(\.self)
}
