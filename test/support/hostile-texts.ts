// What breaks pages elsewhere, by the form that it takes: markup, breakouts from where a text is, scripts in every
// spelling, other template languages, queries and shells, and writing systems.

/** The forms in one text: a formula, markup, quotes, an entity, another template language, a reversed line. */
export const HOSTILE = `=cmd|'/C calc'!A0"><script>alert(1)</script><img src=x onerror=alert(1)>&amp;{{7*7}}\u202Eevil`;

/** The same as a page must hold it. */
export const HOSTILE_ESCAPED = HOSTILE.replaceAll("&", "&amp;")
  .replaceAll("<", "&lt;")
  .replaceAll(">", "&gt;")
  .replaceAll('"', "&quot;")
  .replaceAll("'", "&#39;");

const SCRIPTS = ["alert(1)", "import('//x.example')"];

const MARKUP = [
  "<script>%</script>",
  "<ScRiPt>%</sCrIpT>",
  "<script src=https://x.example/a.js></script>",
  '<script type="module">%</script>',
  "<img src=x onerror=%>",
  '<img src="x" onerror="%">',
  "<svg onload=%>",
  "<svg><script>%</script></svg>",
  "<svg><animate onbegin=% attributeName=x dur=1s>",
  "<math><mi//xlink:href='data:x,<script>%</script>'>",
  "<body onload=%>",
  "<iframe srcdoc='<script>%</script>'></iframe>",
  "<iframe src=javascript:%></iframe>",
  "<a href='javascript:%'>x</a>",
  "<details open ontoggle=%>",
  "<input autofocus onfocus=%>",
  "<video><source onerror=%></video>",
  "<marquee onstart=%>",
  "<object data=javascript:%>",
  "<embed src=javascript:%>",
  "<link rel=stylesheet href=https://x.example/a.css>",
  "<style>@import 'https://x.example/a.css';</style>",
  "<meta http-equiv=refresh content='0;url=javascript:%'>",
  "<base href=https://x.example/>",
  "<form action=https://x.example><button>x</button></form>",
  "<template><script>%</script></template>",
  "<noscript><p title='</noscript><img src=x onerror=%>'>",
  "<!--><script>%</script-->",
  "<![CDATA[<script>%</script>]]>",
  "<?xml version='1.0'?><script>%</script>",
  "\u003cscript\u003e%\u003c/script\u003e",
  "&lt;script&gt;%&lt;/script&gt;",
  "&#60;script&#62;%&#60;/script&#62;",
  "＜script＞%＜/script＞",
  "<scr<script>ipt>%</scr</script>ipt>",
  "<img/src=x/onerror=%//",
  "<img \u000Csrc=x onerror=%>",
  "<script\u00A0>%</script\u00A0>",
];

const WAYS_OUT = [
  '"',
  "'",
  "`",
  '">',
  "'>",
  "</p>",
  "</title>",
  "</textarea>",
  "</dd></dl>",
  "-->",
  "]]>",
  '" x="',
];

const OTHERS = [
  // Words that programs take for values.
  ..."undefined null NULL nil None true false NaN Infinity -1 0 1e309 0x0 --version constructor __proto__ toString".split(
    " ",
  ),
  // Other languages' braces.
  "${7*7}",
  "{{7*7}}",
  "{{constructor.constructor('alert(1)')()}}",
  "<%= 7*7 %>",
  "#{7*7}",
  "%s%s%n",
  "{0}",
  "$(touch /tmp/x)",
  "`touch /tmp/x`",
  "; drop table payment; --",
  "' OR 1=1 --",
  "1'; SELECT pg_sleep(10) --",
  "../../../../etc/passwd",
  "%2e%2e%2f",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "jAvAsCrIpT:alert(1)",
  "java\tscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "=1+1",
  "+1+1",
  "@SUM(1)",
  "-2+3",
  // Writing systems, and marks that reorder, join or hide.
  "Ω≈ç√∫˜µ≤≥÷",
  "田中さんにあげて下さい",
  "사회과학원 어학연구소",
  "الكل في المجمو عة",
  "בְּרֵאשִׁית, בָּרָא",
  "Т̶е̶с̶т̶",
  "Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮",
  "\u202Etest\u202C",
  "\u2066test\u2067",
  "\u200B\u200C\u200D\uFEFF",
  "\u00A0\u3000\u2028\u2029",
  "👩‍👩‍👧‍👦 🏳️‍🌈 🇧🇷 👍🏿",
  "𝕿𝖍𝖊 𝖖𝖚𝖎𝖈𝖐",
  "ﷺ ﷽",
  "ǅ İ ı ß ﬁ",
  "a".repeat(255),
  "<".repeat(200),
  "&".repeat(200),
];

/** Every text, each once. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...new Set([
    ...MARKUP.flatMap((form) => SCRIPTS.map((script) => form.replaceAll("%", script))),
    ...WAYS_OUT.flatMap((out) => [
      out,
      `${out}<script>alert(1)</script>`,
      `${out} onmouseover=alert(1) autofocus`,
    ]),
    ...OTHERS,
    HOSTILE,
  ]),
];
