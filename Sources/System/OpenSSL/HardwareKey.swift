internal import COpenSSL

extension RSAPrivateKey {
    /// Finds a key in a PKCS#11 token, such as a hardware security module, through OpenSSL's engine `pkcs11`.
    ///
    /// The private numbers never leave the token. All threads share the key, because OpenSSL cannot copy it.
    ///
    /// - Parameters:
    ///   - uri: A URI of RFC 7512: `pkcs11:token=…;object=…;pin-source=file:/…`. It must not contain `pin-value`: the
    ///     engine writes the URI to standard error if it finds no key, and §7 advises against the PIN in it.
    ///   - module: The path of the token's library; `nil` for the one of the system.
    /// - Throws: ``KeyError/pinInURI`` for a URI with `pin-value`; ``KeyError/failed(_:)`` if the engine is not installed,
    ///   or finds no key.
    package convenience init(pkcs11 uri: String, module: String?) throws(KeyError) {
        guard !uri.contains("pin-value") else { throw .pinInURI }
        let key: AsymmetricKey
        do throws(OpenSSLError) {
            key = try .inToken(uri: uri, module: module)
        } catch {
            throw .failed(error)
        }
        try self.init(takingOwnershipOf: key, isShared: true)
    }
}

extension AsymmetricKey {
    fileprivate static func inToken(uri: String, module: String?) throws(OpenSSLError) -> AsymmetricKey {
        // The engine stays loaded until the process ends, since the key uses it.
        let engine = try unsafe check("ENGINE_by_id", tx_engine_by_id("pkcs11"))
        if let module {
            // "MODULE_PATH: Specifies the path to the PKCS#11 module shared library" (the engine's own help).
            try unsafe check("ENGINE_ctrl_cmd_string", tx_engine_control(engine, "MODULE_PATH", module))
        }
        try unsafe check("ENGINE_init", tx_engine_init(engine))
        return unsafe AsymmetricKey(
            takingOwnershipOf: try check("ENGINE_load_private_key", tx_engine_private_key(engine, uri)))
    }

    /// Another reference to the same key.
    func shared() throws(OpenSSLError) -> AsymmetricKey {
        try unsafe check("EVP_PKEY_up_ref", EVP_PKEY_up_ref(pointer))
        return unsafe AsymmetricKey(takingOwnershipOf: pointer)
    }
}
