import type { IncomingHttpHeaders } from "node:http";
import { openApi, problemsAt } from "./openapi.ts";

/** What is wrong with a webhook that came in, held against the OpenAPI document. */
export function webhookProblems({ headers, text }: { headers: IncomingHttpHeaders; text: string }): string[] {
  const body = JSON.parse(text) as { type: string };
  const place = ["webhooks", body.type, "post"];
  const documented = openApi.webhooks[body.type]?.post;
  if (!documented) return [`${body.type} is not documented`];
  const missing = (documented.parameters ?? []).filter(({ name }) => headers[String(name)] === undefined);
  return [
    ...missing.map(({ name }) => `${body.type}: ${String(name)} is missing`),
    ...problemsAt([...place, "requestBody", "content", "application/json", "schema"], body).map(
      (problem) => `${body.type}: ${problem}: ${text}`,
    ),
  ];
}
