import { AsyncResource } from "node:async_hooks";
import { SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type pg from "pg";
import { defined } from "../../../contract/defined.ts";

interface Described {
  readonly name: string;
  readonly operation: string | undefined;
  readonly table: string | undefined;
}

type Callback = (error: Error | null | undefined, result?: unknown) => void;
type Query = (...given: unknown[]) => unknown;

const OPERATION = /^\s*(select|insert|update|delete|with|begin|commit|rollback|set|lock|listen|notify)\b/i;
// Only matches before any literal, because the ORM writes values into its queries.
const TABLE =
  /^\s*(?:select\b[^']*?\bfrom|insert\s+into|update|delete\s+from)\s+((?:"?\w{1,63}"?\.)?"?\w{1,63}"?)/i;

/** Gives every query of the pool's connections a span with a name, an operation and a table, never the text. */
export function traceQueries(pool: pg.Pool, tracer: Tracer, namespace: string): void {
  // The pool calls back in the context of the work that released the connection. This binds the callback to the waiting
  // one.
  const connect = pool.connect.bind(pool) as (callback?: Callback) => unknown;
  pool.connect = ((callback?: Callback) =>
    callback ? connect(AsyncResource.bind(callback)) : connect()) as typeof pool.connect;
  pool.on("connect", (client) => traceClient(client, tracer, namespace));
}

function traceClient(client: pg.PoolClient, tracer: Tracer, namespace: string): void {
  const query = client.query.bind(client) as Query;
  client.query = ((...given: unknown[]) => {
    const { name, operation, table } = described(given[0]);
    const span = tracer.startSpan(name, {
      kind: SpanKind.CLIENT,
      attributes: defined({
        "db.system.name": "postgresql",
        "db.namespace": namespace,
        "db.query.summary": name,
        "db.operation.name": operation,
        "db.collection.name": table,
      }),
    });
    const ended = (error: unknown): void => {
      if (error instanceof Error) {
        const code =
          "code" in error && /^\w{1,40}$/.test(String(error.code)) ? String(error.code) : "unknown";
        span.setAttributes({ "db.response.status_code": code, "error.type": code });
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
    const callback = given.at(-1);
    if (typeof callback === "function") {
      const traced: Callback = (error, result) => {
        ended(error);
        (callback as Callback)(error, result);
      };
      return query(...given.slice(0, -1), traced);
    }
    const result = query(...given);
    if (result instanceof Promise) result.then(() => ended(undefined), ended);
    else span.end();
    return result;
  }) as typeof client.query;
}

function described(query: unknown): Described {
  const { name, text } =
    typeof query === "string"
      ? { name: undefined, text: query }
      : (query as { name?: string; text?: string });
  const operation = OPERATION.exec(text ?? "")?.[1]?.toUpperCase();
  const table = TABLE.exec(text ?? "")?.[1]?.replaceAll('"', "");
  const summary = [operation ?? "query", table].filter((part) => part !== undefined).join(" ");
  return { name: name ?? summary, operation, table };
}
