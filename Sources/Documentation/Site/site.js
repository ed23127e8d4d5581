// What scripts/docs adds to DocC's site: a search in the whole text, and links to the pages before and after.
// It is not a module, because the sandbox refuses what a browser requests with an Origin.
(() => {
  /** Reads a file of the site; DocC's pages declare `baseUrl`. */
  const load = async (name) => (await fetch(baseUrl + name)).json();

  /** The pages in the order of the topics: address without `baseUrl`, title. */
  const pages = load("pages.json");

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // MARK: - Search

  const STOP_WORDS = new Set("a an and are can do does for from how i in is it my not of on or the to what with".split(" "));
  const SYNONYMS = { "2fa": "factor", mfa: "factor", "2-factor": "factor", logout: "signout", login: "sign-in" };

  /** The words of a question that a section can be found by. */
  const wordsOf = (question) => {
    const words = question.toLowerCase().split(/[\s?!,;]+/).filter(Boolean).map((word) => SYNONYMS[word] ?? word);
    const telling = words.filter((word) => !STOP_WORDS.has(word));
    return telling.length ? telling : words;
  };

  /**
   * The sections in which most of the words begin a word: all words, if there is such a section. Those with a word in the heading or
   * the title are first.
   */
  const find = (sections, words) => {
    const patterns = words.map((word) =>
      new RegExp("(?<![\\p{L}\\p{N}])" + word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "iu"));
    const ranked = sections.map((section) => {
      const fields = [section.heading, section.title, section.text];
      const ranks = patterns.map((pattern, index) => section.heading.toLowerCase() === words[index]
        ? 9 : [4, 2, 1].find((rank, field) => pattern.test(fields[field])) ?? 0);
      return { section, found: ranks.filter(Boolean).length, rank: ranks.reduce((sum, rank) => sum + rank, 0) };
    });
    const most = Math.max(...ranked.map(({ found }) => found));
    return ranked
      .filter(({ found }) => found > 0 && found === most)
      .sort((first, second) => second.rank - first.rank)
      .map(({ section }) => section);
  };

  /** The part of a text around the first word that it contains. */
  const excerpt = (text, words) => {
    const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
    const start = places.length ? Math.max(0, Math.min(...places) - 40) : 0;
    return (start > 0 ? "…" : "") + text.slice(start, start + 140) + (text.length > start + 140 ? "…" : "");
  };

  class Search extends HTMLElement {
    connectedCallback() {
      this.input = element("input", { type: "search", placeholder: "Search the guide  /", ariaLabel: "Search the guide" });
      this.status = element("p", { role: "status" });
      this.results = element("ol");
      // A click into the panel leaves the focus in it, also in browsers that do not focus links.
      const panel = element("div", { tabIndex: -1 }, this.status, this.results);
      this.replaceChildren(element("form", { role: "search" }, this.input, panel));
      this.addEventListener("input", () => this.show());
      this.addEventListener("submit", (event) => {
        event.preventDefault();
        this.querySelector("a")?.click();
      });
      this.addEventListener("keydown", (event) => this.move(event));
      document.addEventListener("keydown", (event) => {
        if (event.key !== "/" || event.target.closest?.("input, textarea")) return;
        event.preventDefault();
        this.input.focus();
      });
    }

    async show() {
      const words = wordsOf(this.input.value);
      this.sections ??= load("search.json");
      const found = words.length ? find(await this.sections, words) : [];
      const links = found.slice(0, 20).map(({ page, anchor, title, heading, text }) =>
        element("a", { href: `${baseUrl}${page}${anchor && "#"}${anchor}` },
          element("strong", {}, heading ? `${title}: ${heading}` : title), element("span", {}, excerpt(text, words))));
      this.results.replaceChildren(...links.map((link) => element("li", {}, link)));
      this.status.textContent = words.length ? `${found.length} ${found.length === 1 ? "section" : "sections"}` : "";
    }

    /** The arrows go through the results, and Escape ends the search. */
    move(event) {
      const stops = [this.input, ...this.querySelectorAll("a")];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        stops[stops.indexOf(document.activeElement) + step]?.focus();
      } else if (event.key === "Escape") {
        this.input.value = "";
        this.show();
        this.input.blur();
      }
    }
  }

  // DocC shows an element of this name above its own header.
  customElements.define("custom-header", Search);

  // MARK: - The pages before and after

  const foot = document.body.appendChild(element("nav", { id: "before-and-after", ariaLabel: "Pages before and after" }));

  const showPages = async () => {
    const path = location.pathname.slice(baseUrl.length).replace(/\/$/, "");
    const order = await pages;
    const at = order.findIndex(([page]) => page === path);
    const link = (rel, label, [page, title] = []) =>
      page ? [element("a", { rel, href: baseUrl + page }, element("small", {}, label), title)] : [];
    foot.replaceChildren(
      ...(at < 0 ? [] : [...link("prev", "Previous", order[at - 1]), ...link("next", "Next", order[at + 1])]));
  };

  // DocC changes the page without loading the document again, and sets its title.
  new MutationObserver(showPages).observe(document.querySelector("title"), { childList: true });
  showPages();
})();
