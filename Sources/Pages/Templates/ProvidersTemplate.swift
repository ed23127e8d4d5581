extension Template {
    /// One button like the other for each provider.
    ///
    /// The page around has an element `question`, which names the group, and an element `consider`, which describes it.
    static let providersText = #"""
        <div class="choices" role="group" aria-labelledby="question" aria-describedby="consider">
        {{#providers}}
        <button class="choice" type="submit" name="provider" value="{{id}}">
        <span>{{>continueWith}}</span>{{>chevron}}
        </button>
        {{/providers}}
        </div>
        """#
}
