/// The scripts of the pages that carry a response to an application; no other page has one.
///
/// A script is part of its document, and the policy allows exactly its text by a hash. That is stricter than a file of
/// this server with `'self'`, which would allow every response of this origin as a script, and it needs no request that
/// could fail between the sign-in and its response. The texts never contain a value: values are attributes of elements.
/// They contain neither `<` nor `&`, which an XML parser would interpret, nor two consecutive opening braces.
enum ResponseScripts {
    static let formPost = "document.forms[0].submit();"

    /// Posts the hidden fields to the opener, only if it has the origin in the document, and closes the window.
    ///
    /// Without an opener nothing is sent, and the page keeps its advice.
    static let webMessage = """
        (function () {
        var carrier = document.getElementById("response");
        var response = {};
        if (!window.opener) { return; }
        carrier.querySelectorAll("input").forEach(function (field) { response[field.name] = field.value; });
        window.opener.postMessage({type: "authorization_response", response: response}, carrier.dataset.origin);
        document.getElementById("undelivered").hidden = true;
        document.getElementById("delivered").hidden = false;
        window.close();
        })();
        """
}
