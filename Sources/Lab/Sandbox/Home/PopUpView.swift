/// The panel that opens the sign-in in a window of its own, and receives its response (`response_mode=web_message`).
struct PopUpView {
    private let url: String
    private let server: HomeServer

    /// Returns `nil` unless the run waits for the response of a pop-up window.
    init?(run: Run, server: HomeServer) {
        guard run.scenario == .browserPopUp, case .awaitingCode = run.stage,
            let step = run.steps.last(where: { $0.kind == .authorize })
        else { return nil }
        url = step.request.url
        self.server = server
    }

    /// `rel="opener"` keeps the connection to this page, which a link to a new window does not have otherwise.
    var html: String {
        """
        <section class="panel" aria-labelledby="head">
        <h2 id="head">Sign in in a window of its own</h2>
        <p>The server’s last page posts its response to this page, and to no page of another origin. Then it closes.</p>
        <p><a id="open" class="button" href="\(Page.escape(url))" target="sign-in" rel="opener">Open the window</a></p>
        <form id="response" method="post" action="\(HomeClient.callbackPath)" \
        data-server="\(Page.escape(server.publicURL))"></form>
        </section>
        """
    }

    /// Posts the response of the server to the application, and ignores the messages of other origins.
    static let script = """
        (function () {
        var form = document.getElementById("response");
        addEventListener("message", function (event) {
        if (event.origin !== form.dataset.server) { return; }
        if (event.data.type !== "authorization_response") { return; }
        Object.keys(event.data.response).forEach(function (name) {
        var field = document.createElement("input");
        field.type = "hidden"; field.name = name; field.value = event.data.response[name];
        form.append(field);
        });
        form.submit();
        });
        })();
        """
}
