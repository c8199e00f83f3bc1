/** What a payer sees first of a link. */
interface Landing {
  readonly nonces: { readonly script: string; readonly style: string };
  readonly merchant: string;
  readonly address: string;
  readonly path: string;
  readonly product: string;
  readonly amountMinor: bigint;
  readonly expiresAt: Date | null;
  readonly pricesVersion: string;
}

const money = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
const time = new Intl.DateTimeFormat("pt-BR", {
  dateStyle: "short",
  timeStyle: "long",
  timeZone: "America/Sao_Paulo",
});
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Returns the page: the same parts as this service's, of about the same size, in Portuguese alone. */
export function landingPage(landing: Landing): string {
  const { nonces, path, address, amountMinor, expiresAt, pricesVersion } = landing;
  const [merchant, product] = [escaped(landing.merchant), escaped(landing.product)];
  const decimal = `${amountMinor / 100n}.${String(amountMinor % 100n).padStart(2, "0")}`;
  const amount = money.format(decimal as `${number}`);
  const until =
    expiresAt === null ? "" : `<p class="quiet until">Este link vale até ${time.format(expiresAt)}</p>`;
  return `<!doctype html>
<html lang="pt-BR">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${product}</title>
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${product}" />
    <meta property="og:description" content="${amount} · Pagamento para ${merchant}" />
    <meta property="og:site_name" content="${merchant}" />
    <meta property="og:url" content="${address}" />
    <meta property="product:price:amount" content="${decimal}" />
    <meta property="product:price:currency" content="BRL" />
    <link rel="stylesheet" nonce="${nonces.style}" href="/pay/assets/0000000000000000-base.css" />
    <link rel="stylesheet" nonce="${nonces.style}" href="/pay/assets/0000000000000000-checkout.css" />
    <meta name="theme-color" content="#0d3b32" />
    <link rel="icon" href="/pay/assets/0000000000000000-icon.svg" />
    <script defer nonce="${nonces.script}" src="/pay/assets/0000000000000000-checkout.js"></script>
  </head>
  <body>
    <a class="skip" href="#main">Ir para o pagamento</a>
    <aside class="test" aria-label="Modo de teste">
      <strong>Modo de teste:</strong> nenhum dinheiro é movimentado.
    </aside>
    <header class="top">
      <p class="brand" translate="no">paylink</p>
      <nav aria-label="Português">
        <a class="language" lang="en" hreflang="en" href="${path}?lang=en">English</a>
      </nav>
    </header>
    <main id="main" class="frame">
      <details class="summary" open>
        <summary>
          <span class="what">
            <span class="merchant"><span class="hidden">Pagamento para </span>${merchant}</span>
            <span class="product">${product}</span>
          </span>
          <span class="sum"><span class="label">Valor do produto </span>${amount}</span>
        </summary>
        ${until}
      </details>
      <section class="panel" aria-labelledby="title">
        <h1 id="title">Como você quer pagar?</h1>
        <form method="post" action="${path}/sessions">
          <input type="hidden" name="prices" value="${pricesVersion}" />
          <p class="way chosen">
            <span class="name">Pix</span> <small>Aprovação na hora, pelo aplicativo do seu banco.</small>
          </p>
          <button class="primary" name="way" value="pix-1">Gerar Pix</button>
        </form>
        <p class="quiet">
          Ao continuar, o preço fica garantido por 15 minutos. Nada é cobrado antes de você confirmar.
        </p>
      </section>
    </main>
    <footer class="foot">
      <p>
        <svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
          <path
            d="M7 10V7a5 5 0 0 1 10 0v3h1a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h1zm2 0h6V7a3 3 0 0 0-6 0v3z"
          />
        </svg>
        Página segura. O preço mostrado é o preço cobrado.
      </p>
    </footer>
  </body>
</html>
`;
}
