import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The central bank's OData service of rates: a real HTTP server that answers as it does. */
export interface Olinda {
  /** The value of PTAX_URL. */
  readonly url: string;
  /** The paths of the requests, decoded. */
  readonly asked: readonly string[];
  /** Publishes a bulletin: its time of São Paulo, and the text of the number. */
  publish(time: string, sale: string): void;
  /** Takes all bulletins back. */
  clear(): void;
  /** How it answers from now on; undefined: as the service does. */
  answer(answerer: ((response: ServerResponse) => void) | undefined): void;
  close(): Promise<void>;
}

const PERIOD =
  /^\/odata\/CotacaoDolarPeriodo\(dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao\)\?@dataInicial='(\d\d)-(\d\d)-(\d{4})'&@dataFinalCotacao='(\d\d)-(\d\d)-(\d{4})'&\$format=json$/;

/** Returns an answer of the service with these rows, each a time and the text of a number. */
export function olindaText(rows: readonly (readonly [time: string, sale: string])[]): string {
  const context = "https://was-p.bcnet.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata$metadata#_CotacaoDolar";
  const value = rows.map(
    ([time, sale]) => `{"cotacaoCompra":5.00010,"cotacaoVenda":${sale},"dataHoraCotacao":"${time}"}`,
  );
  return `{"@odata.context":"${context}","value":[${value.join(",")}]}`;
}

/** Starts one on this machine. */
export async function startOlinda(): Promise<Olinda> {
  const asked: string[] = [];
  let rows: [string, string][] = [];
  let answerer: ((response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    asked.push(path);
    if (answerer) {
      answerer(response);
      return;
    }
    const [, m1, d1, y1, m2, d2, y2] = PERIOD.exec(path) ?? [];
    if (y1 === undefined) {
      response.writeHead(400).end("{}");
      return;
    }
    const within = rows.filter(([time]) => {
      const day = time.slice(0, "YYYY-MM-DD".length);
      return day >= `${y1}-${m1}-${d1}` && day <= `${y2}-${m2}-${d2}`;
    });
    response
      .writeHead(200, { "content-type": "application/json;odata.metadata=minimal" })
      .end(olindaText(within));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/odata`,
    asked,
    publish: (time, sale) => void rows.push([time, sale]),
    clear: () => {
      rows = [];
    },
    answer: (next) => {
      answerer = next;
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
