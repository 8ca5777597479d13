import { describe, expect, it } from 'vitest';
import { loadStripper, type Stripped } from './strip-markup.ts';

const strip = await loadStripper();
const cleaned = (input: unknown): Stripped => {
  const answer = strip(input);
  if ('fault' in answer) throw new Error(answer.fault);
  return answer;
};

describe('strip', () => {
  it.each([
    '<script>alert(1)</script>hi',
    'hi<img src=x onerror=alert(1)>',
    'hi<iframe src=x></iframe>',
    'hi<svg><script>1</script></svg>',
    'hi<style>body{background:url(x)}</style>',
    'hi<object data=x></object>',
    'hi<meta http-equiv=refresh content="0;url=x">',
    'hi<math><mtext><table><mglyph><style><img src=x onerror=1>',
    'hi<noscript><p title="</noscript><img src=x onerror=1>">',
  ])('takes active content out of %s', (html) => {
    const { value, taken } = cleaned({ html });
    const text = (value as { html: string }).html;
    expect(text).not.toMatch(/<(?:script|img|iframe|svg|style|object|meta)|onerror=1>/i);
    expect(text).toContain('hi');
    expect(taken).toHaveLength(1);
    expect(taken[0]).toMatch(/^Taken out of \/html: /);
  });

  it('keeps formatting, and says nothing when nothing changed', () => {
    const input = { html: '<p>Hello <b>world</b></p>', list: ['<i>x</i>', 1, null, true] };
    const { value, taken } = cleaned(input);
    expect(value).toBe(input);
    expect(taken).toEqual([]);
  });

  it.each(['a & b', '1 < 2', 'a <3', 'x <- y', '', 'C:\\x', 'https://a.example/?a=b&c=d'])(
    'leaves the plain text %j unchanged',
    (text) => expect(cleaned({ text })).toEqual({ value: { text }, taken: [] }),
  );

  it('empties a URL that runs script', () => {
    const { value, taken } = cleaned({ link: ' java\tscript:alert(1)' });
    expect(value).toEqual({ link: '' });
    expect(taken).toEqual(['Taken out of /link: a URL that runs script.']);
  });

  it('names what it took, never the text', () => {
    const { taken } = cleaned(
      '<canary-value onclick="x">a</canary-value><form action="/x"></form>',
    );
    expect(taken).toEqual(['Taken out of the input: an event handler attribute.']);
    expect(cleaned('<form>a</form>').taken[0]).toContain('not plain text formatting');
  });

  it('does not touch what it was given', () => {
    const input = Object.freeze({ a: Object.freeze(['<script>1</script>x', 'y']), b: 2 });
    expect(cleaned(input).value).toEqual({ a: ['x', 'y'], b: 2 });
    expect(input.a[0]).toBe('<script>1</script>x');
  });

  it('refuses more markup than it can clean in bounded time', () => {
    expect(strip({ html: `<b>${'x'.repeat(300_000)}` })).toHaveProperty('fault');
    const part = `<b>${'x'.repeat(250_000)}</b>`;
    expect(strip([part, part, part, part, part])).toHaveProperty('fault');
    expect(strip({ text: 'x'.repeat(900_000) })).not.toHaveProperty('fault');
  });

  it.each([
    ['open tags', '<a '.repeat(80_000)],
    ['nesting', '<b>'.repeat(80_000)],
    ['attributes', `<a ${'href=x '.repeat(35_000)}>`],
    ['closing tags', '</b>'.repeat(60_000)],
    ['comments', '<!--'.repeat(60_000)],
    ['table rows', '<table><tr><td>'.repeat(16_000)],
    ['style text', `<p style="${'a:b;'.repeat(60_000)}">`],
  ])('is quick on %s', (_name, html) => {
    const started = performance.now();
    strip({ html });
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
