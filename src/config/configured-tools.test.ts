import { describe, expect, it } from 'vitest';
import { testCrib } from '../../test/fixtures/test-crib.ts';
import type { ConfigInput } from './schema.ts';

const warningsOf = async (config: object, options: object = {}): Promise<readonly string[]> => {
  const crib = await testCrib([], { builtins: true, config: config as ConfigInput, ...options });
  const said = crib.runtime.logged.map((line) => JSON.stringify(line));
  await crib.close();
  return said.filter((line) => line.includes('has no effect'));
};

describe('a tool name in the configuration that no tool has', () => {
  it.each([
    [
      { tools: { wirte_file: { enabled: false } } },
      /tools\.wirte_file .*did you mean write_file\?/,
    ],
    [{ tools: { 'write-file': { enabled: false } } }, /did you mean write_file\?/],
    [{ enforcement: { enforcedTools: ['calculater'] } }, /did you mean calculator\?/],
    [{ budget: { perTool: { deep_reasonning: 1 } } }, /did you mean deep_reasoning\?/],
    [{ tools: { nothing_like_it_at_all: {} } }, /no tool named nothing_like_it_at_all/],
  ])('%j is reported', async (config, words) => {
    expect(await warningsOf(config)).toEqual([expect.stringMatching(words)]);
  });

  it.each([
    [{ tools: { write_file: { enabled: false }, maxExecutionTime: 1000 } }],
    [{ tools: { 'json:parse': { timeoutMs: 5 } } }],
    [{ enforcement: { enforcedTools: ['calculator'] }, budget: { perTool: { docker: 1 } } }],
  ])('benign: %j is not reported', async (config) => {
    expect(await warningsOf(config)).toEqual([]);
  });

  it('benign: a name that a server may bring is reported only when it is close to that of a tool', async () => {
    const mcp = { servers: { files: { url: 'http://127.0.0.1:9/mcp', enabled: false } } };
    const tools = { 'files.search_everything': {}, wirte_file: {} };
    const said = await warningsOf({ mcp, tools });
    expect(said).toEqual([expect.stringContaining('did you mean write_file?')]);
  });
});

describe('enforcedTools', () => {
  it('enable a tool although the same file disables it', async () => {
    const config = {
      tools: { calculator: { enabled: false }, datetime: { enabled: false } },
      enforcement: { enforcedTools: ['calculator'] },
    };
    const crib = await testCrib([], { builtins: true, config });
    expect((await crib.execute('calculator', { expression: '1+1' })).success).toBe(true);
    expect(crib.tools.get('datetime')?.enabled).toBe(false);
    await crib.close();
  });
});
