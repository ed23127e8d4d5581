extension Template {
    static let problemText = #"""
        {{<layout}}
        {{$title}}{{>error}}: {{heading}}{{/title}}
        {{$main}}
        {{>problemIcon}}
        <h1>{{heading}}</h1>
        <p class="lead">{{advice}}</p>
        {{#concernsDevice}}
        <p><a class="button secondary" href="/device">{{>enterCodeLink}}</a></p>
        {{/concernsDevice}}
        {{/main}}
        {{$footer}}
        <footer>
        <p>{{>requestNote}}</p>
        </footer>
        {{/footer}}
        {{/layout}}
        """#
}
