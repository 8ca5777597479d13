import { describe, expect, it } from 'vitest';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool, ToolDefinition } from '../../contract/tool.ts';
import { createInspectors, type InspectionOptions } from './create-inspectors.ts';

const tool = (extra: Partial<ToolDefinition<unknown, unknown>> = {}): Tool =>
  defineTool({ name: 't', description: '', tier: 'read_only', input: {}, run: () => 1, ...extra });

const look = async (
  extra: Partial<ToolDefinition<unknown, unknown>>,
  input: unknown,
  options: InspectionOptions = {},
) => createInspectors(options)(tool(extra))(input);

const FILES = { needs: { paths: [{ path: '.', access: 'read' }] } } as const;

describe('inspection', () => {
  it('says where, as a JSON Pointer, and never what', async () => {
    const input = { files: [{ path: 'ok' }, { 'a/b~c': { path: '../canary-value' } }] };
    const violations = await look(FILES, input);
    expect(violations.map(({ at }) => at)).toEqual(['/files/1/a~1b~0c/path']);
    expect(JSON.stringify(violations)).not.toContain('canary-value');
  });

  it('cuts field names that a caller made up to size', async () => {
    const [violation] = await look(FILES, { [`x\u001b${'y'.repeat(500)}`]: { path: '..' } });
    expect(violation?.at).toMatch(/^\/x\ufffdy{62}\/path$/);
  });

  it('answers at once for a tool that runs no commands and text without markup', () => {
    const inspector = createInspectors()(tool(FILES));
    expect(inspector({ path: '../x' })).toBeInstanceOf(Array);
    expect(inspector({ path: 'x' })).toEqual([]);
    expect(inspector(undefined)).toEqual([]);
    expect(inspector('../x')).toEqual([]);
  });

  it('does not even look at what a tool without reach gets, once flagging is off', () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('looked at');
        },
      },
    );
    expect(createInspectors({ sanitize: 'off' })(tool())(hostile)).toEqual([]);
    expect(createInspectors()(tool({ sanitize: 'off' }))(hostile)).toEqual([]);
    expect(() => createInspectors()(tool())(hostile)).toThrow('looked at');
  });

  it('lets a tool ask for flagging where the default is off', async () => {
    const input = { html: '<script>1</script>' };
    expect(await look({}, input, { sanitize: 'off' })).toEqual([]);
    expect(await look({ sanitize: 'flag' }, input, { sanitize: 'off' })).toHaveLength(1);
    expect(await look({ sanitize: 'strip' }, input)).toEqual([]);
  });

  it('flags without altering: the input stays the same, frozen or not', async () => {
    const input = Object.freeze({ html: '<img src=x onerror=alert(1)>' });
    const [violation] = await look({}, input);
    expect(violation).toMatchObject({ type: 'injection', severity: 'low', at: '/html' });
    expect(violation?.description).toContain('event handler');
    expect(input).toEqual({ html: '<img src=x onerror=alert(1)>' });
  });

  it('judges by any tier a capability has', async () => {
    const run = { action: 'run', description: '', tier: 'execute' } as const;
    expect(await look({ capabilities: [run] }, { command: 'sudo ls' })).toHaveLength(1);
    const plain = { action: 'look', description: '' } as const;
    expect(await look({ capabilities: [plain] }, { command: 'sudo ls' })).toEqual([]);
    expect(await look({ needs: { commands: ['ls'] } }, { command: 'sudo ls' })).toHaveLength(1);
    expect(await look({ needs: { hosts: [] } }, { url: 'file:///x' })).toHaveLength(1);
    expect(await look({ category: 'api' }, { url: 'file:///x' })).toHaveLength(1);
  });

  it('accepts absolute paths of tools whose files are not brokered', async () => {
    const isInside = () => false;
    expect(await look({ category: 'filesystem' }, { path: '/srv/a' }, { isInside })).toEqual([]);
    expect(await look(FILES, { path: '/srv/a' }, { isInside })).toHaveLength(1);
    expect(await look(FILES, { path: '/srv/a' })).toEqual([]);
  });

  it('reports a few of many findings, the grave one among them', async () => {
    const texts = Array.from({ length: 100 }, () => '<script>1</script>');
    const violations = await look({ tier: 'execute' }, { texts, command: 'sudo ls', more: texts });
    expect(violations).toHaveLength(20);
    expect(violations[0]).toMatchObject({ severity: 'critical', at: '/command' });
    const odd = Array.from({ length: 50 }, (_, index) => `a\u200b${index}`);
    const mixed = await look(FILES, { paths: [...odd, '../x', ...odd] });
    expect(mixed.some(({ severity }) => severity === 'high')).toBe(true);
  });

  it('finds fields beyond the number of names that it caches', async () => {
    const inspector = createInspectors()(tool(FILES));
    for (let index = 0; index < 600; index++) await inspector({ [`field${index}`]: 'x' });
    expect(await inspector({ brandNewPath: '../x' })).toHaveLength(1);
  });

  it('reports one finding once for each field', async () => {
    const violations = await look({ tier: 'execute' }, { command: 'sudo ls; sudo ls; su' });
    expect(violations).toHaveLength(1);
  });
});

describe('inspection stays within bounds', () => {
  const timed = async (extra: Partial<ToolDefinition<unknown, unknown>>, input: unknown) => {
    const started = performance.now();
    const violations = await look(extra, input);
    return { violations, ms: performance.now() - started };
  };

  it.each([
    ['many wrappers', 'env '.repeat(4000)],
    ['wrappers with options', 'env -a '.repeat(2300)],
    ['deep substitution', '$('.repeat(8000)],
    ['many substitutions', '$(a)'.repeat(4000)],
    ['open quotes', `"'`.repeat(8000)],
    ['find without end', `find ${'-exec find '.repeat(1450)}`],
    ['here documents', '<<E '.repeat(4000)],
    ['nested braces', '{'.repeat(16_000)],
    ['braces, as many as are looked at', `${'{a,b,c,d,e,f,g'.repeat(480)}${'x'.repeat(9000)}`],
    ['functions in functions', 'f()'.repeat(5400)],
  ])('on a command of %s', async (_name, command) => {
    const { ms } = await timed({ tier: 'execute' }, { command });
    expect(ms).toBeLessThan(20_000);
  });

  it('and reports a command that is too long or too nested to be inspected', async () => {
    const long = await timed({ tier: 'execute' }, { command: 'a '.repeat(10_000) });
    expect(long.violations.map(({ description }) => description)[0]).toContain('too long');
    const nested = await timed({ tier: 'execute' }, { command: 'env env env env env env sudo' });
    expect(nested.violations.map(({ severity }) => severity)).toEqual(['high']);
    const evals = await timed({ tier: 'execute' }, { command: `${'eval '.repeat(6)} sudo` });
    expect(evals.violations.map(({ severity }) => severity)).toEqual(['high']);
  });

  it.each([
    ['open tags', '<a '.repeat(300_000)],
    ['attributes', `<a ${'b=c '.repeat(200_000)}`],
    ['open comment', `<a><!--${'-'.repeat(900_000)}`],
    ['deep nesting', '<b>'.repeat(300_000)],
    ['entities', `<a href="${'&#x6a;'.repeat(150_000)}">`],
    ['blank scheme', `${' '.repeat(900_000)}<a`],
  ])('on markup of %s', async (_name, html) => {
    const { ms } = await timed({}, { html });
    expect(ms).toBeLessThan(20_000);
  });

  it('and reports markup that is too long to be inspected', async () => {
    const html = '<b>'.repeat(300_000);
    const { violations } = await timed({}, { a: html, b: html, c: html });
    expect(violations.map(({ description }) => description)).toEqual([
      'There is too much markup to be looked through.',
    ]);
  });

  it.each([
    ['percent signs', '%25'.repeat(300_000)],
    ['dots', '../a/'.repeat(200_000)],
    ['colons', ':'.repeat(900_000)],
    ['blanks', `..${' '.repeat(900_000)}x`],
    ['semicolons', ';'.repeat(900_000)],
  ])('on a path of %s', async (_name, path) => {
    const { ms } = await timed(FILES, { path });
    expect(ms).toBeLessThan(20_000);
  });
});
