import { spawnSync } from "node:child_process";

/** Whether Prometheus's own tool is on this machine (Debian: `apt-get install prometheus`). */
export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

const MINUTES = 120;
const RATE = 6000;

/** Seconds of promtool's clock at which rules are evaluated: the last of the samples. */
export const EVALUATED_AT = MINUTES * 60;

/** The series of promtool that lead to a sample of an expression as the rules have it, at the end. */
export function seriesOf(left: string, sample: number): { series: string; values: string }[] {
  const constant = (series: string, value: number) => ({ series, values: `${value}x${MINUTES}` });
  const counted = (series: string, each: number) => ({ series, values: `0+${each}x${MINUTES}` });
  if (left.startsWith("absent(")) return sample > 0 ? [] : [constant("paylink_build_info", 1)];
  if (left.startsWith("sum(rate(")) {
    const requests = (status: string, each: number) =>
      counted(`paylink_http_requests_total{status="${status}"}`, each);
    return [requests("200", Math.round(RATE * (1 - sample))), requests("500", Math.round(RATE * sample))];
  }
  if (left.startsWith("histogram_quantile(")) {
    const bounds = ["0.005", "0.025", "0.1", "0.25", "1", "5", "20", "+Inf"];
    return bounds.map((bound) =>
      counted(
        `paylink_http_request_duration_seconds_bucket{le="${bound}"}`,
        Number(bound) >= sample || bound === "+Inf" ? RATE : 0,
      ),
    );
  }
  // A counter that rose within the last ten minutes.
  if (left.includes("_total{")) return [{ series: left, values: `0x${MINUTES - 10} ${sample}x10` }];
  return [constant(left, sample)];
}
