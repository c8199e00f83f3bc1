import type { MadeAnswer } from "./server.ts";

/** Returns a page of a provider, in Portuguese. */
export function page(title: string, main: string, status = 200): MadeAnswer {
  const text = `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${escaped(title)}</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 1rem auto; padding: 0 1rem; }
  label, input, select { display: block; }
  input, select { font: inherit; width: 100%; box-sizing: border-box; margin-bottom: 0.5rem; }
  button { font: inherit; padding: 0.5rem 1rem; margin: 0.25rem 0; }
</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${main}
</main>
</body>
</html>
`;
  return {
    status,
    contentType: "text/html; charset=utf-8",
    text,
    headers: {
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    },
  };
}

export function redirect(location: string): MadeAnswer {
  return { status: 303, contentType: null, text: "", headers: { location } };
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
