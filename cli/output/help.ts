import type { Command } from "commander";

/** Returns an "Examples:" block. The lines come without the command's own name. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  paylink ${line}\n`).join("")}`.trimEnd();
}

const ENVIRONMENT = `
Environment:
  CORE_URL    the core's address for gRPC (default: http://127.0.0.1:CORE_PORT, which is 50051)
  CORE_TOKEN  what lets callers in (default: the content of DATA_DIR/core-token)
  DATA_DIR    the data folder (default: .data)
  TZ          the time zone of the times in tables (default: this machine's); --json has UTC
  NO_COLOR    if set, no colours; files and pipes never have them
  docs/variables.md has all, with those of serve.

Exit codes: 0 done; 1 refused, not reached, or something was found wrong. The reason is on stderr.`;

/** Adds the help text and the error handling that all commands share. Must be called last. */
export function addHelp(program: Command, version: string): void {
  program
    .version(version, "-V, --version", "print the version")
    .addHelpText("afterAll", ENVIRONMENT)
    .configureHelp({ subcommandTerm: (command) => command.name() });
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap((group) => group.commands),
  ]) {
    command
      .helpOption("-h, --help", "print this help")
      .showSuggestionAfterError()
      .showHelpAfterError(`(${pathOf(command)} --help says more)`)
      .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "paylink: ")) });
  }
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
