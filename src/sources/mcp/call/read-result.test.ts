import { describe, expect, it } from 'vitest';
import { readResult } from './read-result.ts';

const site = { name: 'demo', maxOutputBytes: 10_000 };
const text = (value: string) => ({ type: 'text' as const, text: value });
const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };

describe('a result with content and structured content', () => {
  it.each([
    ['a picture', [image]],
    ['a text of its own', [text('Sunny, bring a hat.')]],
    ['a text and a picture', [text('{"t":21}'), image]],
  ])('keeps %s beside the data', (_, content) => {
    const structuredContent = { t: 21 };
    expect(readResult({ content, structuredContent }, site)).toEqual({
      content,
      structuredContent,
    });
  });

  it.each([
    ['nothing', [], { t: 21 }],
    ['the same as JSON', [text('{ "t": 21 }')], { t: 21 }],
    ['the one value as text', [text('hello')], { result: 'hello' }],
    ['the one value as JSON', [text('[1,2]')], { result: [1, 2] }],
  ])('is the data alone where the content is %s', (_, content, structuredContent) => {
    expect(readResult({ content, structuredContent }, site)).toEqual(structuredContent);
  });

  it('is too large when both together are', () => {
    const structuredContent = { a: 'x'.repeat(6000) };
    const content = [text('y'.repeat(6000))];
    expect(() => readResult({ content, structuredContent }, site)).toThrow('too much');
  });
});
