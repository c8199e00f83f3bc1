import { createRequire } from "node:module";
import { join } from "node:path";
import { html } from "../pages/html.ts";
import { readAsset } from "../pages/assets.ts";

const FOLDER = join(import.meta.dirname, "assets");
const ADDRESS = "/docs/assets";
const CSS = "text/css; charset=utf-8";
const JAVASCRIPT = "text/javascript; charset=utf-8";
const require = createRequire(import.meta.url);

// Fastify's package of Swagger UI: the files of swagger-ui-dist without the script that reports each install.
export const ASSETS = {
  rendererStyle: readAsset(require.resolve("@fastify/swagger-ui/static/swagger-ui.css"), ADDRESS, CSS),
  renderer: readAsset(
    require.resolve("@fastify/swagger-ui/static/swagger-ui-bundle.js"),
    ADDRESS,
    JAVASCRIPT,
  ),
  style: readAsset(join(FOLDER, "docs.css"), ADDRESS, CSS),
  script: readAsset(join(FOLDER, "docs.js"), ADDRESS, JAVASCRIPT),
};

/** Returns the page that shows the document. */
export function docsPage(nonces: {
  readonly script: string;
  readonly style: string;
}): ReturnType<typeof html> {
  const { rendererStyle, renderer, style, script } = ASSETS;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" content="#0d3b32" />
        <title>paylink API</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" nonce="${nonces.style}" href="${rendererStyle.path}" />
        <link rel="stylesheet" nonce="${nonces.style}" href="${style.path}" />
        <script defer nonce="${nonces.script}" src="${renderer.path}"></script>
        <script defer nonce="${nonces.script}" src="${script.path}"></script>
      </head>
      <body>
        <header class="top">
          <p class="brand" translate="no">paylink</p>
          <nav aria-label="Document"><a href="/openapi.json">openapi.json</a></nav>
        </header>
        <main id="docs">
          <noscript>
            This page needs JavaScript. The document that it shows is at
            <a href="/openapi.json">/openapi.json</a>.
          </noscript>
        </main>
      </body>
    </html>`;
}
