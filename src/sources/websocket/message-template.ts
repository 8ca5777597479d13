/**
 * Messages as data: `{ from: 'input.city' }` takes a value of the call, `{ secret: KEY }` a secret,
 * `{ value: … }` is taken as it is, and everything else is what it looks like, with these forms inside
 * lists and objects. A text is never a template: data cannot add a reference.
 */
import { isRecord } from '../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';

export type Path = readonly string[];

export interface MessageScope {
  readonly input: unknown;
  secret(key: string): string;
}

type Fill = (scope: MessageScope) => unknown;

export interface MessageTemplate {
  readonly secrets: readonly string[];
  fill(scope: MessageScope): unknown;
}

const MAX_DEPTH = 32;

/** Thrown for a template that cannot be read; the message says why. */
export class TemplateFault extends Error {}

/** Reads `a.b.c`. Throws a `TemplateFault`. */
export const readPath = (text: string): Path => {
  const path = text.split('.');
  if (path.some((key) => key === '' || isPrototypeKey(key))) {
    throw new TemplateFault(`"${text}" is no path such as result.data`);
  }
  return path;
};

/** Looks up own properties only; `undefined` where there is nothing. */
export const valueAt = (value: unknown, path: Path): unknown => {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
};

/** Gives a copy of a message with a value at a path; objects on the way are made. */
export const withValueAt = (
  message: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: Path,
  value: unknown,
): Readonly<Record<string, unknown>> => {
  const below = Object.hasOwn(message, key) ? message[key] : undefined;
  const inner = rest.length === 0 ? value : withValueAt(isRecord(below) ? below : {}, rest, value);
  return { ...message, [key]: inner };
};

const onlyKey = (spec: Readonly<Record<string, unknown>>): string | undefined => {
  const [key, ...others] = Object.keys(spec);
  return others.length === 0 ? key : undefined;
};

class TemplateReader {
  readonly secrets = new Set<string>();

  read(spec: unknown, depth: number): Fill {
    if (depth > MAX_DEPTH) throw new TemplateFault('it is nested too deep');
    if (Array.isArray(spec)) {
      const parts = spec.map((each) => this.read(each, depth + 1));
      return (scope) => parts.map((part) => part(scope));
    }
    if (!isRecord(spec)) return () => spec;
    switch (onlyKey(spec)) {
      case 'from':
        return this.#from(spec.from);
      case 'secret':
        return this.#secret(spec.secret);
      case 'value':
        return () => spec.value;
      default:
        return this.#object(spec, depth);
    }
  }

  #from(path: unknown): Fill {
    const [root, ...rest] = typeof path === 'string' ? readPath(path) : [];
    if (root !== 'input') throw new TemplateFault('`from` is a path that starts with input');
    return ({ input }) => valueAt(input, rest);
  }

  #secret(key: unknown): Fill {
    if (typeof key !== 'string' || !/^[A-Za-z0-9_.:-]+$/.test(key) || /^mcp\.oauth:/i.test(key)) {
      throw new TemplateFault('`secret` is the key of a secret');
    }
    this.secrets.add(key);
    return ({ secret }) => secret(key);
  }

  #object(spec: Readonly<Record<string, unknown>>, depth: number): Fill {
    const parts = Object.entries(spec).map(([key, each]) => {
      if (isPrototypeKey(key)) throw new TemplateFault(`it has a field ${key}`);
      return [key, this.read(each, depth + 1)] as const;
    });
    // What the call leaves out is left out of the message.
    return (scope) =>
      Object.fromEntries(
        parts.flatMap(([key, part]) => {
          const value = part(scope);
          return value === undefined ? [] : [[key, value]];
        }),
      );
  }
}

/** Throws a `TemplateFault`. */
export const readTemplate = (spec: unknown): MessageTemplate => {
  const reader = new TemplateReader();
  const fill = reader.read(spec, 0);
  return { fill, secrets: [...reader.secrets] };
};
