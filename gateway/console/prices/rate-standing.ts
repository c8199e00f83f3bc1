import type { GetRateStandingResponse } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type Translate } from "./messages.ts";

const HOUR_SECONDS = 3600n;
const PTAX = "ptax";
const MANUAL = "manual";

/** Returns the rate's age in whole hours, as it is counted: by the clock, or while banks are open in São Paulo. */
export function ageText(
  t: Translate,
  { source, ageSeconds, maxAgeSeconds }: GetRateStandingResponse,
): string {
  if (source === undefined) return "";
  const [hours, max] = [ageSeconds, maxAgeSeconds].map((seconds) => String(seconds / HOUR_SECONDS));
  return t(source === MANUAL ? "rate_age" : "rate_bank_age", { hours: hours ?? "", max: max ?? "" });
}

/** Returns what is wrong with the rate: it is too old, or a newer one is held. */
export function rateWarnings(visit: Visit, standing: GetRateStandingResponse): Html | "" {
  const { isTooOld, publishedAt, held } = standing;
  if (!isTooOld && held.length === 0) return "";
  const { format } = visit;
  const t = messagesIn(visit.language);
  const time = publishedAt ? format.time(publishedAt) : "";
  return html`<div class="problems" role="status">
    ${isTooOld ? html`<p>${t("rate_too_old", { time })} ${ageText(t, standing)}</p>` : ""}
    ${held.map(
      ({ id, spotMicros, lastMicros, jumpPpm, source, publishedAt: at }) =>
        html`<p>
            ${t("rate_held", {
              rate: format.rate(spotMicros),
              source: source === PTAX ? "PTAX" : source,
              time: at ? format.time(at) : "",
              change: format.change(jumpPpm),
              last: format.rate(lastMicros),
            })}
          </p>
          <p>${t("rate_release")} <code class="id">paylink fx release ${id} --mode ${visit.mode}</code></p>`,
    )}
  </div>`;
}
