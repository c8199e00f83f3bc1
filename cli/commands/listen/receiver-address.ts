import { InvalidArgumentError } from "commander";

const ON_THIS_MACHINE = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/?]|$)/i;

/**
 * Returns the address that events are forwarded to. One on this machine may leave its scheme out, and is then http; a port
 * alone is one on this machine. Throws InvalidArgumentError.
 */
export function receiverAddress(text: string): string {
  const { protocol, username, password, href } = parsed(completed(text.trim()));
  if (protocol !== "http:" && protocol !== "https:") {
    throw new InvalidArgumentError("It must begin with http:// or https://.");
  }
  if (username !== "" || password !== "") {
    throw new InvalidArgumentError("It must have no user name and no password.");
  }
  return href;
}

function completed(text: string): string {
  if (/^[a-z][\w+.-]*:\/\//i.test(text)) return text;
  if (/^:?\d{1,5}(?=\/|$)/.test(text)) return `http://localhost:${text.replace(/^:/, "")}`;
  if (ON_THIS_MACHINE.test(text)) return `http://${text}`;
  throw new InvalidArgumentError("Write http:// or https:// before it, as in http://localhost:3000/hook.");
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new InvalidArgumentError("It must be an address, such as http://localhost:3000/hook.");
  }
}
