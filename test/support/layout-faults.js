// Returns what a reader cannot read on this page as it is laid out: texts that are cut, that lie over each other, or that
// only scrolling to the side brings into sight. An expression, which a test evaluates in the page.
(() => {
  const SLACK_PX = 1.5;
  const SHOWN_CHARACTERS = 60;
  const CLIPS = new Set(["hidden", "clip"]);
  const SCROLLS = new Set(["auto", "scroll"]);
  const faults = [];
  const said = (element) => {
    const { tagName, className, id } = element;
    const text = (element.innerText ?? "").trim().replaceAll(/\s+/g, " ").slice(0, SHOWN_CHARACTERS);
    return `${tagName.toLowerCase()}${id && `#${id}`}${typeof className === "string" && className && `.${className.replaceAll(" ", ".")}`} "${text}"`;
  };
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  // For readers aloud alone.
  const isAside = (element) => element.closest(".hidden, .skip, svg, noscript") !== null;

  for (const element of document.body.querySelectorAll("*")) {
    if (!isSeen(element) || isAside(element) || element.closest("textarea, input, select")) continue;
    const { overflowX, overflowY } = getComputedStyle(element);
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    // Nothing, or for readers aloud.
    if (clientWidth <= 1) continue;
    // It opens to what it leaves out.
    if (element.closest("details:not([open]) > summary")) continue;
    const isWider = scrollWidth > clientWidth + SLACK_PX;
    const isHigher = scrollHeight > clientHeight + SLACK_PX;
    const isNamed =
      element.title !== "" || element.querySelector("[title]") !== null || element.closest("[title]");
    if (isWider && CLIPS.has(overflowX) && !isNamed) faults.push(`cut: ${said(element)}`);
    if (isHigher && CLIPS.has(overflowY) && !isNamed) faults.push(`cut below: ${said(element)}`);
    if (isWider && SCROLLS.has(overflowX)) {
      faults.push(`scrolls ${scrollWidth - clientWidth} px aside: ${said(element)}`);
    }
  }

  // The lines of every text, as far as the elements around let them be seen.
  const boundsOf = (element, known = new Map()) => {
    if (element === null || element === document.documentElement) return undefined;
    if (known.has(element)) return known.get(element);
    const above = boundsOf(element.parentElement, known);
    const { overflowX } = getComputedStyle(element);
    const own = overflowX === "visible" ? undefined : element.getBoundingClientRect();
    const bounds = own && above ? intersection(own, above) : (own ?? above);
    known.set(element, bounds);
    return bounds;
  };
  const intersection = (one, other) => ({
    left: Math.max(one.left, other.left),
    right: Math.min(one.right, other.right),
    top: Math.max(one.top, other.top),
    bottom: Math.min(one.bottom, other.bottom),
  });
  const known = new Map();
  const lines = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const { parentElement: parent } = text;
    if (text.data.trim() === "" || !parent || !isSeen(parent) || isAside(parent)) continue;
    if (parent.closest("script, style, option, textarea")) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const bounds = boundsOf(parent, known);
    for (const rect of range.getClientRects()) {
      const { left, right, top, bottom } = bounds ? intersection(rect, bounds) : rect;
      if (right > left && bottom > top) lines.push({ text, parent, left, right, top, bottom });
    }
  }
  lines.sort((one, other) => one.top - other.top);
  const pairs = new Set();
  for (const [index, line] of lines.entries()) {
    for (const other of lines.slice(index + 1)) {
      if (other.top > line.bottom) break;
      if (other.text === line.text) continue;
      const both = intersection(line, other);
      // Lines of one paragraph touch: their boxes are higher than their letters.
      const least = 0.45 * Math.min(line.bottom - line.top, other.bottom - other.top);
      if (both.right - both.left < 2 * SLACK_PX || both.bottom - both.top < least) continue;
      pairs.add(`overprinted: ${said(line.parent)} and ${said(other.parent)}`);
    }
  }
  // Labels before cells on a phone are no elements.
  const pen = document.createElement("canvas").getContext("2d");
  for (const cell of document.querySelectorAll("td[data-label]")) {
    const label = getComputedStyle(cell, "::before");
    if (Number.parseFloat(label.height) > cell.clientHeight)
      faults.push(`"${cell.dataset.label}" is longer than its row`);
    pen.font = label.font;
    const longest = Math.max(...cell.dataset.label.split(/\s/).map((word) => pen.measureText(word).width));
    if (label.content !== "none" && longest > Number.parseFloat(label.width) + SLACK_PX)
      faults.push(`"${cell.dataset.label}" is wider than its room`);
  }
  for (const [text, rows] of Map.groupBy(lines, (line) => line.text)) {
    if (rows.length > 1 && text.parentElement.closest(".figures .big"))
      faults.push(`broken: ${said(text.parentElement)}`);
  }
  const tooWide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (tooWide > 0) faults.push(`${tooWide} px too wide`);
  return [...faults, ...pairs];
})();
