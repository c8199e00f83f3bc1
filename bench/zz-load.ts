import { readFileSync, readdirSync } from "node:fs";
import { round } from "./round.ts";
import { Stage } from "./stage.ts";
import { WORKLOADS } from "./workloads.ts";
const [names = "create", n = "6", seconds = "3", ...nodeOptions] = process.argv.slice(2);
const checkouts = (process.env["CHECKOUTS"] ?? import.meta.dirname + "/..").split(",");
const stage = await Stage.open();
const threads = (pid: number): Map<string, number> => {
  const m = new Map<string, number>();
  for (const t of readdirSync(`/proc/${pid}/task`)) {
    const s = readFileSync(`/proc/${pid}/task/${t}/stat`, "utf8");
    const r = s.slice(s.lastIndexOf(")") + 2).split(" ");
    const name = s.slice(s.indexOf("(") + 1, s.lastIndexOf(")")) + (Number(t) === pid ? "!" : "");
    m.set(name, (m.get(name) ?? 0) + (Number(r[11]) + Number(r[12])) * 10_000);
  }
  return m;
};
const servers: { server: any; all: Map<string, number[]> }[] = [];
for (const [i, c] of checkouts.entries()) {
  const prepared = await stage.prepare(`d${i}`, 0, c);
  servers.push({
    server: await stage.serve(`s${i}`, prepared, c, [
      ...nodeOptions,
      ...((process.env["FLAGS"] ?? "").split("|")[i] ?? "").split(" ").filter(Boolean),
    ]),
    all: new Map(),
  });
}
for (const name of names.split(",")) {
  const workload = WORKLOADS.find((w) => w.name === name)!;
  for (let i = 0; i < Number(n); i++) {
    for (const [k, { server, all }] of servers.entries()) {
      const before = threads(server.pid);
      const s = await round(server, workload, stage.postgresPid, {
        connections: Number(process.env["CONNECTIONS"] ?? 64),
        payments: 0,
        seconds: Number(seconds),
      });
      const after = threads(server.pid);
      const per = [...after]
        .map(([t, v]) => [t, ((v - (before.get(t) ?? 0)) / (s.perSecond * Number(seconds))).toFixed(0)])
        .filter(([, v]) => Number(v) > 1)
        .map((x) => x.join("="))
        .join(" ");
      if (!all.has(name)) all.set(name, []);
      all.get(name)!.push(s.nodeUs);
      console.log(
        `${name} ${k} ${s.perSecond.toFixed(0)}/s p50 ${s.p50Ms} node ${s.nodeUs.toFixed(0)} pg ${s.postgresUs.toFixed(0)} MB ${s.memoryMb.toFixed(0)} ${per}`,
      );
    }
  }
}
for (const [k, { all }] of servers.entries())
  for (const [name, v] of all) {
    v.sort((a, b) => a - b);
    console.log(
      `# ${k} ${name} median node ${v[v.length >> 1]!.toFixed(0)} (${v[0]!.toFixed(0)} to ${v.at(-1)!.toFixed(0)})`,
    );
  }
await stage.close();
