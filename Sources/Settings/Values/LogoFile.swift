internal import OperatingSystem

extension Settings {
    /// An image file that the server sends to browsers.
    package struct Logo: Sendable, Equatable {
        package let path: String
        package let format: Format
        /// The content of the file, at most 64 KiB.
        package let bytes: [UInt8]

        /// The formats, by their media types.
        ///
        /// SVG is not among them, because it can contain scripts and references.
        package enum Format: String, Sendable {
            case png = "image/png"
            case jpeg = "image/jpeg"
            case webP = "image/webp"
        }
    }
}

extension Settings.Logo {
    static let maximumBytes = 64 * 1024
}

extension Settings.Logo.Format {
    /// Recognizes the format by the first bytes of a file, whatever its name is.
    ///
    /// The rest of the file is not read, so that a damaged image is accepted.
    init?(of bytes: [UInt8]) {
        func has(_ text: String, at offset: Int) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), has("IHDR", at: 12) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has("RIFF", at: 0), has("WEBP", at: 8) {
            self = .webP
        } else {
            return nil
        }
    }
}

extension Entry {
    /// Reads the absolute path of an image, and the image.
    func logo() -> Settings.Logo? {
        guard
            let path = path().flatMap({ absolute($0, "write an absolute path, such as /etc/token-exchange/logo.png") })
        else { return nil }
        let file: SettingsFile
        do {
            file = try reader.loader.readFile(path)
        } catch {
            return refusing("the file \(path) \(error.message)")
        }
        if let objection = FileContent.configuration.objection(to: file.exposure, at: path) {
            reader.judgePermissions("the file \(path) \(objection)", line: line, key: key)
        }
        reader.name(file.openFolders, line: line, key: key)
        guard file.bytes.count <= Settings.Logo.maximumBytes else {
            return refusing("the file \(path) is larger than \(Settings.Logo.maximumBytes) bytes: use a smaller image")
        }
        guard let format = Settings.Logo.Format(of: file.bytes) else {
            return refusing("the file \(path) is not a PNG, JPEG or WebP image: convert it to one of these formats")
        }
        return Settings.Logo(path: path, format: format, bytes: file.bytes)
    }
}
