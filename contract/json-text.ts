import type { JsonObject } from "@bufbuild/protobuf";

// Parsing a shorter text costs less than keeping it.
const PARSED_CHARACTERS_MAX = 1024;

const texts = new WeakMap<object, string>();
// Marks an object that is kept unparsed among all others, which is quicker than to look for its text.
const KEPT = {};

/**
 * Returns the object of a text that JSON.stringify wrote. It cannot be changed. A long text is parsed when one of the
 * object's members is first read: if none is read, `textOf` passes the text on.
 */
export function objectOf(text: string): JsonObject {
  return isShort(text) ? (JSON.parse(text) as JsonObject) : kept(text);
}

/** Returns the objects of texts, each as `objectOf` does. Short texts are parsed together, which costs less. */
export function objectsOf(all: readonly string[]): JsonObject[] {
  if (!all.every(isShort)) return all.map(objectOf);
  return JSON.parse(`[${all.join(",")}]`) as JsonObject[];
}

/** Returns the text of an object that `objectOf` has kept unparsed, or undefined for any other object. */
export function textOf(object: object): string | undefined {
  return Object.getPrototypeOf(object) === KEPT ? texts.get(object) : undefined;
}

function isShort({ length }: string): boolean {
  return length <= PARSED_CHARACTERS_MAX;
}

function kept(text: string): JsonObject {
  const object = new Proxy(Object.create(KEPT) as JsonObject, new Unread(text));
  texts.set(object, text);
  return object;
}

/** Fills the proxy's target from the text, before anything of it is read. */
class Unread implements ProxyHandler<JsonObject> {
  #text: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  #read(target: JsonObject): JsonObject {
    if (this.#text !== undefined) {
      Object.assign(target, JSON.parse(this.#text));
      this.#text = undefined;
    }
    return target;
  }

  get(target: JsonObject, key: string | symbol): unknown {
    return Reflect.get(this.#read(target), key);
  }

  has(target: JsonObject, key: string | symbol): boolean {
    return Reflect.has(this.#read(target), key);
  }

  ownKeys(target: JsonObject): (string | symbol)[] {
    return Reflect.ownKeys(this.#read(target));
  }

  getOwnPropertyDescriptor(target: JsonObject, key: string | symbol): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.#read(target), key);
  }

  // Without these, the object would differ from its text.
  set(): boolean {
    return false;
  }

  defineProperty(): boolean {
    return false;
  }

  deleteProperty(): boolean {
    return false;
  }

  preventExtensions(): boolean {
    return false;
  }
}
