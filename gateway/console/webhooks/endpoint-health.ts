import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AttemptSum } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Html } from "../../pages/html.ts";
import { badge } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";

const DAY_MS = 86_400_000;

/** What became of the attempts of so many last days, by endpoint. */
export async function attemptsByEndpoint(visit: Visit, days = 1): Promise<ReadonlyMap<string, AttemptSum>> {
  const since = timestampFromMs(Date.now() - days * DAY_MS);
  const { sums } = await visit.core.webhooks.summarizeAttempts({ since }, visit.as);
  return new Map(sums.map((sum) => [sum.endpointId, sum]));
}

/** Returns how many of an endpoint's attempts failed: red from the first failure on, until one succeeds. */
export function healthBadge(visit: Visit, sum: AttemptSum | undefined): Html | string {
  if (!sum) return "—";
  const t = messagesIn(visit.language);
  if (sum.failedCount === 0n) return badge("good", t("healthy", rateOf(visit, sum)));
  return badge(sum.isFailing ? "bad" : "warn", t("failing", rateOf(visit, sum)));
}

function rateOf({ language }: Visit, { failedCount, attemptCount }: AttemptSum) {
  return { failed: failedCount.toLocaleString(language), count: attemptCount.toLocaleString(language) };
}
