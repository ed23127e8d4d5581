/// What a television shows while it waits.
struct DeviceView {
    let run: Run
    let device: Run.Device

    var html: String {
        """
        <section class="panel" aria-labelledby="head">
        <h2 id="head">The television shows a code</h2>
        <p class="code"><code>\(Page.escape(device.userCode))</code></p>
        <ol>
        <li>Enter it at <a href="\(Page.escape(device.verificationURIComplete))" target="_blank" rel="noopener">\
        \(Page.escape(device.verificationURI))</a> (opens in a new tab, with the code filled in), as you would on your \
        telephone.</li>
        <li>Sign in there, and confirm.</li>
        <li>Come back here, and let the television ask.</li>
        </ol>
        <form method="post" action="/runs/\(run.id)/poll">
        <button type="submit" class="primary">Ask now</button>
        <span class="small">A television asks every five seconds. Who asks sooner is refused, and has to wait longer.</span>
        </form>
        </section>
        """
    }
}
