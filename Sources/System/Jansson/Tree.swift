internal import CJansson

/// The sole owner of one reference to jansson's own tree.
@safe
struct Tree: ~Copyable {
    let root: UnsafeMutablePointer<json_t>

    /// Takes over a new reference.
    init(adopting root: UnsafeMutablePointer<json_t>) {
        unsafe self.root = root
    }

    // "json_decref: Decrement the reference count of json. As soon as a call to json_decref() drops the reference
    // count to zero, the value is destroyed and it can no longer be used."
    deinit { unsafe json_decref(root) }
}

/// Seeds jansson's hash table, once, before anything is read.
///
/// "json_object_seed: The seed is used to randomize the hash function so that an attacker cannot control its output. If
/// seed is 0, Jansson generates the seed itself by reading random data from the operating system's entropy sources. […]
/// If called at all, this function must be called before any calls to json_object(), either explicit or implicit."
let hashIsSeeded: Void = json_object_seed(0)
