// Shows the sections that contain every word of the search, those with a word in a heading first. The index is a script,
// as a page that is opened from the file system may not fetch a file.
(function () {
  "use strict";
  const MOST = 30, AROUND = 80; // results, and characters of text on each side of a word
  const field = document.getElementById("search"), list = document.getElementById("found");
  const root = document.querySelector(".home").getAttribute("href").replace(/index\.html$/, "");

  function rank(section, words) {
    const title = (section.page + " " + section.heading).toLowerCase(), text = section.text.toLowerCase();
    let sum = 0;
    for (const word of words) {
      if (title.includes(word)) sum += 10;
      else if (text.includes(word)) sum += 1;
      else return 0;
    }
    return sum;
  }

  function excerpt(text, word) {
    const at = text.toLowerCase().indexOf(word), from = Math.max(0, at - AROUND);
    return (from > 0 ? "… " : "") + text.slice(from, Math.max(at, 0) + AROUND) + " …";
  }

  function entry(section, word) {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
    link.href = root + section.address;
    link.textContent = section.page === section.heading ? section.page : section.page + ": " + section.heading;
    text.textContent = excerpt(section.text, word);
    item.append(link, text);
    return item;
  }

  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const ranked = words.length ? window.searchIndex.map((section) => [rank(section, words), section]).filter(([sum]) => sum > 0) : [];
    ranked.sort((left, right) => right[0] - left[0]);
    list.replaceChildren(...ranked.slice(0, MOST).map(([, section]) => entry(section, words[0])));
    if (words.length && !ranked.length) list.textContent = "Nothing found";
    list.hidden = !words.length;
  }

  // On a narrow screen the menu would stand above every page.
  if (window.matchMedia("(max-width: 50rem)").matches) document.getElementById("menu").open = false;

  field.addEventListener("input", search);
  field.value = decodeURIComponent((/[?&]q=([^&]*)/.exec(location.search) || [])[1] || "");
  search();
})();
