import { describe, expect, it } from 'vitest';
import { linkOf, linkText } from './question-link.ts';

const metaOf = (text: string) => JSON.parse(text).params._meta;

describe('a message on the stream of a call', () => {
  it.each([['"elicitation/create"'], ['"elicitation\\/create"'], ['"sampling\\/createMessage"']])(
    'is linked when it is a question, however its method is written (%s)',
    (method) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":${method},"params":{"message":"Which?"}}`;
      expect(linkOf(metaOf(linkText(text, 'key')))).toBe('key');
    },
  );

  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":{"content":"elicitation/create"}}'],
    ['{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{}}'],
    ['"elicitation'],
  ])('stays as it is when it is none (%s)', (text) => {
    expect(linkText(text, 'key')).toBe(text);
  });
});
