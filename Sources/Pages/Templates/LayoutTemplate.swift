extension Template {
    static let layoutText = #"""
        <!DOCTYPE html>
        <html lang="{{language}}" dir="{{direction}}">
        <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{{$title}}{{/title}}</title>
        <style>{{>style}}</style>
        </head>
        <body>
        <main>
        {{$main}}
        {{/main}}
        </main>
        {{$footer}}
        {{/footer}}
        </body>
        </html>

        """#
}
