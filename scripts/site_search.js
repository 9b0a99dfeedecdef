// The search of the documentation's site. It replaces mkdocs' own, whose web worker and index no browser loads from disk:
// the index is a script (search_index.js) beside this one.
(function () {
  "use strict";
  var here = document.currentScript.src.replace(/[^/]*$/, "");

  function load(name, then) {
    var script = document.createElement("script");
    script.src = here + name;
    script.onload = then;
    document.head.appendChild(script);
  }

  function makeIndex() {
    return lunr(function () {
      this.ref("location");
      this.field("title", { boost: 10 });
      this.field("text");
      searchIndex.docs.forEach(function (entry) { this.add(entry); }, this);
    });
  }

  // The words of the question, each also as the beginning of a word.
  function find(index, question) {
    return index.query(function (query) {
      lunr.tokenizer(question).forEach(function (token) {
        query.term(index.pipeline.runString(token.toString()), { boost: 10 });
        query.term(token.toString(), { wildcard: lunr.Query.wildcard.TRAILING });
      });
    });
  }

  // The beginning of an entry's text, without its title, which mkdocs puts before a pilcrow.
  function beginning(entry) {
    var text = entry.text.replace(/^[^¶]*¶\s*/, "");
    return text.length <= 200 ? text : text.slice(0, 200).replace(/\s+\S*$/, " …");
  }

  function show(found, entries, list) {
    list.textContent = found.length ? "" : "Nothing found";
    found.slice(0, 50).forEach(function (result) {
      var entry = entries[result.ref];
      var article = document.createElement("article");
      var heading = document.createElement("h3");
      var link = document.createElement("a");
      link.href = here + "../" + entry.location;
      link.textContent = entry.title;
      var text = document.createElement("p");
      text.textContent = beginning(entry);
      heading.appendChild(link);
      article.appendChild(heading);
      article.appendChild(text);
      list.appendChild(article);
    });
  }

  function start() {
    var input = document.getElementById("mkdocs-search-query");
    var list = document.getElementById("mkdocs-search-results");
    if (!input || !list) return;
    var index = makeIndex();
    var entries = {};
    searchIndex.docs.forEach(function (entry) { entries[entry.location] = entry; });
    function search() {
      if (input.value.length > 1) show(find(index, input.value), entries, list);
      else list.textContent = "";
    }
    input.addEventListener("keyup", search);
    input.addEventListener("change", search);
    var asked = new URLSearchParams(window.location.search).get("q");
    if (!asked) return;
    input.value = asked;
    search();
    if (window.jQuery) window.jQuery("#mkdocs_search_modal").modal("show");
  }

  load("lunr.js", function () { load("search_index.js", start); });
})();
