/** Finds the type that a name means: from the innermost scope outwards, as the language says. */
import { KNOWN_TYPES } from './known-types.ts';

export interface ResolvedType {
  readonly kind: 'message' | 'enum';
  /** With its package, without a leading dot. */
  readonly name: string;
}

export type Resolver = (name: string, scope: string) => ResolvedType | undefined;

export const createResolver = (
  messages: ReadonlyMap<string, unknown>,
  enums: ReadonlyMap<string, unknown>,
): Resolver => {
  const find = (name: string): ResolvedType | undefined => {
    if (messages.has(name) || Object.hasOwn(KNOWN_TYPES.messages, name)) {
      return { kind: 'message', name };
    }
    const isEnum = enums.has(name) || Object.hasOwn(KNOWN_TYPES.enums, name);
    return isEnum ? { kind: 'enum', name } : undefined;
  };
  return (name, scope) => {
    if (name.startsWith('.')) return find(name.slice(1));
    for (let at = scope; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const type = find(`${at}.${name}`);
      if (type) return type;
    }
    return find(name);
  };
};
