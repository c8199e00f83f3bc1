import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { Counter, Histogram } from "prom-client";

const BUFFER_BYTES = 8 * 1024;

/** A line and two figures for each request: what anyone who keeps a service writes down of it, ours too. */
export function observe(
  app: FastifyInstance,
  callerOf: (request: object) => { tenantId: string } | undefined,
): void {
  const log = pino({ base: null }, pino.destination({ dest: 2, sync: false, minLength: BUFFER_BYTES }));
  const requests = new Counter({
    name: "requests_total",
    help: "Requests.",
    labelNames: ["route", "verb", "status"] as const,
  });
  const seconds = new Histogram({
    name: "request_duration_seconds",
    help: "From the headers to the end of the answer.",
    labelNames: ["route", "verb"] as const,
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { url: route = "none" } = request.routeOptions;
    const { method: verb, id: request_id } = request;
    requests.inc({ route, verb, status: reply.statusCode });
    seconds.observe({ route, verb }, reply.elapsedTime / 1000);
    const tenant = callerOf(request)?.tenantId;
    const duration_ms = Math.round(reply.elapsedTime * 100) / 100;
    log.info({ request_id, tenant, route, verb, status: reply.statusCode, duration_ms }, "request");
    done();
  });
}
