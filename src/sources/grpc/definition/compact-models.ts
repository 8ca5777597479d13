/** Reads a short notation of message models, for the protocols that this driver itself speaks. */
import type { FieldModel, MessageModel } from './model.ts';

/**
 * Reads fields such as `name:1:string`, `path:3:int32[]`, `type:5:enum=pkg.Type` or
 * `field:2:message=pkg.Field[]`. Scalars have no presence; numbers in lists are packed.
 */
const compactMessage = (text: string): MessageModel => ({
  fields: text
    .split(/\s+/)
    .filter((part) => part !== '')
    .map(compactField),
});

const compactField = (text: string): FieldModel => {
  const [name = '', number = '', rest = ''] = text.split(':');
  const isMany = rest.endsWith('[]');
  const [type = '', ref] = (isMany ? rest.slice(0, -2) : rest).split('=');
  const isPackable = type !== 'string' && type !== 'bytes' && type !== 'message';
  return {
    name,
    number: Number(number),
    type: type as FieldModel['type'],
    ...(ref !== undefined && { ref }),
    ...(isMany && { many: true }),
    ...(isMany && isPackable && { packed: true }),
    ...(!isMany && type === 'message' && { presence: true }),
  };
};

export const compactMessages = (
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, MessageModel>> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, compactMessage(text)]));
