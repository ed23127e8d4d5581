import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An element of a page, parsed as XML.
///
/// The pages close every element, so that a browser and an XML parser read the same structure.
final class Element {
    let name: String
    let attributes: [String: String]
    var children: [Element] = []
    /// The text of this element, without that of its children.
    var text = ""
    /// The text of this element and of all elements within it, in reading order.
    var wholeText = ""

    init(name: String, attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    /// Parses a document; returns `nil` if it is not well-formed.
    static func document(_ html: String) -> Element? {
        let reader = Reader()
        let parser = XMLParser(data: Data(html.utf8))
        parser.delegate = reader
        return parser.parse() ? reader.root : nil
    }

    /// This element and all elements within it, in the order of the document.
    var all: [Element] { [self] + children.flatMap(\.all) }

    func all(_ name: String) -> [Element] { all.filter { $0.name == name } }

    func element(id: String) -> Element? { all.first { $0.attributes["id"] == id } }
}

private final class Reader: NSObject, XMLParserDelegate {
    var root: Element?
    private var open: [Element] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let element = Element(name: name, attributes: attributes)
        open.last?.children.append(element)
        if root == nil { root = element }
        open.append(element)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        open.last?.text += text
        for element in open { element.wholeText += text }
    }
}
