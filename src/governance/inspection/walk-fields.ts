/** Goes through the strings and objects of an input, with the kind of field each stands in. */
import { type FieldKind, fieldKindOf } from './field-kind.ts';
import type { Trail } from './violation.ts';

export interface Visitor {
  /** Names of fields below one that holds headers come here too: they are header text as well. */
  text(text: string, kind: FieldKind | undefined, trail: Trail): void;
  object(object: Readonly<Record<string, unknown>>, trail: Trail): void;
}

/**
 * Tells whether any string of the input fits. Much cheaper than a walk, for inputs that hold
 * nothing.
 */
export const someText = (value: unknown, fits: (text: string) => boolean): boolean => {
  if (typeof value === 'string') return fits(value);
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    if (someText((value as Record<string, unknown>)[key], fits)) return true;
  }
  return false;
};

/** Names come from callers: their cache must be bounded. */
const MAX_NAMES = 500;

export const createFieldWalker = () => {
  const kinds = new Map<string, FieldKind | undefined>();
  const kindOf = (key: string): FieldKind | undefined => {
    if (kinds.has(key)) return kinds.get(key);
    const kind = fieldKindOf(key);
    if (kinds.size < MAX_NAMES) kinds.set(key, kind);
    return kind;
  };

  /** Depth and size are bounded by validation, which ran before. The trail is one array, reused. */
  return (input: unknown, visitor: Visitor): void => {
    const trail: (string | number)[] = [];
    const visit = (value: unknown, kind: FieldKind | undefined): void => {
      if (typeof value === 'string') visitor.text(value, kind, trail);
      else if (Array.isArray(value)) visitItems(value, kind);
      else if (typeof value === 'object' && value !== null) visitFields(value, kind);
    };
    const visitItems = (items: readonly unknown[], kind: FieldKind | undefined): void => {
      for (let index = 0; index < items.length; index++) {
        trail.push(index);
        visit(items[index], kind);
        trail.pop();
      }
    };
    const visitFields = (object: object, kind: FieldKind | undefined): void => {
      visitor.object(object as Record<string, unknown>, trail);
      for (const key of Object.keys(object)) {
        trail.push(key);
        if (kind === 'header') visitor.text(key, kind, trail);
        visit((object as Record<string, unknown>)[key], kind === 'header' ? kind : kindOf(key));
        trail.pop();
      }
    };
    visit(input, undefined);
  };
};
