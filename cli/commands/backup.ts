import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { readConfig } from "../../src/platform/config/config.ts";
import { hasCode } from "../../src/platform/db/embedded-postgres/file-system.ts";
import { examples } from "../output/help.ts";
import { print } from "../output/output.ts";
import manifest from "../../package.json" with { type: "json" };

export function addBackup(program: Command): void {
  program
    .command("backup")
    .description("back up the embedded database and the pictures, while the service runs or not")
    .argument("[file]", "the file to write, or the folder for one named by the time", ".")
    .option("--with-secrets", "also data key, core token and demo keys: who has the file reads every secret")
    .option("--json", "print one JSON document on stdout")
    .addHelpText("after", examples("backup", "backup /var/backups", "backup monday.tar.gz --with-secrets"))
    .action(async (name: string, { withSecrets = false }: { withSecrets?: boolean }, command: Command) => {
      const config = readConfig(process.env);
      const { requireEmbedded } = await import("../operate/backup/embedded.ts");
      requireEmbedded(config, "command backs up");
      const { takeBackup } = await import("../operate/backup/take.ts");
      const file = (await isFolder(name)) ? join(name, nameOf(new Date())) : name;
      const taken = await takeBackup({ config, file: resolve(file), release: manifest.version, withSecrets });
      print(command, {
        file,
        bytes: taken.bytes,
        pictures: config.mediaBucket ? "in the bucket, not in this file" : taken.pictureCount,
        secrets: taken.secrets.length > 0 ? taken.secrets : "none: keep the data key elsewhere",
      });
    });
}

export function addRestore(program: Command): void {
  program
    .command("restore")
    .description("restore a backup into a DATA_DIR without a database, and check books and seals first")
    .argument("<file>", "a file that backup wrote")
    .option("--json", "print one JSON document on stdout")
    .addHelpText("after", examples("restore /var/backups/paylink-20260131T030000Z.tar.gz"))
    .action(async (file: string, _options: object, command: Command) => {
      const config = readConfig(process.env);
      const { requireEmbedded } = await import("../operate/backup/embedded.ts");
      requireEmbedded(config, "command restores");
      const { restoreBackup } = await import("../operate/backup/restore.ts");
      const restored = await restoreBackup({ config, file: resolve(file), onNotice: say });
      const { description, payments, entries, sealedDays } = restored;
      print(command, {
        data_dir: config.dataDir,
        of: new Date(description.begun_at),
        release: description.release,
        books: "clean",
        payments,
        entries,
        seals: "intact",
        sealed_days: sealedDays,
      });
    });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** Returns a name that sorts by time. */
function nameOf(now: Date): string {
  return `paylink-${now.toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "")}.tar.gz`;
}
