/** The comment above a declaration: the description, and limits that a type cannot express. */
import type { JsonSchema } from '../../contract/schema.ts';

const MAX_CHARS = 400;

/** Makes one line that cannot end the comment, without invisible characters. */
const oneLine = (text: string): string =>
  text
    .slice(0, MAX_CHARS * 2)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .replaceAll('*/', '* /')
    .trim()
    .slice(0, MAX_CHARS);

const FACTS = ['format', 'default', 'minimum', 'maximum', 'maxLength', 'pattern'] as const;

const factsOf = (schema: JsonSchema): readonly string[] =>
  FACTS.flatMap((keyword) =>
    Object.hasOwn(schema, keyword) && schema[keyword] !== undefined
      ? [`${keyword}: ${JSON.stringify(schema[keyword])}`]
      : [],
  );

/** Writes the comment; empty when there is nothing to write. */
export const docComment = (schema: JsonSchema, indent: string): string => {
  const description = typeof schema.description === 'string' ? schema.description : '';
  const text = oneLine([description, ...factsOf(schema)].filter(Boolean).join(' · '));
  return text === '' ? '' : `${indent}/** ${text} */\n`;
};
