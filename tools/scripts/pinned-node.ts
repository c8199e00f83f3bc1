import packages from "../../package.json" with { type: "json" };

/** Ends a script that another Node than the pinned one started, and says how to start it. */
export function requirePinnedNode(): void {
  const { node } = packages.dependencies;
  if (process.versions.node === node) return;
  const script = process.argv.slice(1).join(" ");
  console.error(`This is Node ${process.versions.node}, and the project has ${node}: npx node ${script}`);
  process.exit(1);
}
