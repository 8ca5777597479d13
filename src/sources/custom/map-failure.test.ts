/** Places in what code threw: in the message, in the stack, in none of them. */
import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import { compileTool, type ToolCode } from './compile-tool.ts';
import { mapFailure } from './map-failure.ts';

const TEXT =
  "import { x } from './lib/x.ts';\ntype A = 1;\nexport const run = () => {\n  x();\n};\n";

const compiled = async () => {
  const code: ToolCode = {
    kind: 'yaml',
    file: 'a.yml',
    text: TEXT,
    loader: 'ts',
    positionOf: (line, column) => ({ line: line + 10, column: column + 2 }),
  };
  const files = new Map([['lib/x.ts', Buffer.from('\nexport const x = () => boom();')]]);
  const { code: text, map } = await compileTool(code, files);
  const lineWith = (part: string): number =>
    text.split('\n').findIndex((line) => line.includes(part)) + 1;
  return {
    lineWith,
    mapped: { name: 'a.js', text, map, file: 'a.yml', positionOf: code.positionOf },
  };
};

describe('mapFailure', () => {
  it('reports positions in the file and in files that it imports', async () => {
    const { lineWith, mapped } = await compiled();
    const [own, imported] = [lineWith('  x();'), lineWith('boom()')];
    const failure = new ToolFailure('EXECUTION_FAILED', `no (a.js:${own}:3) (a.js:${imported})`, {
      suggestions: ['s'],
    });
    expect(mapFailure(failure, mapped)).toMatchObject({
      code: 'EXECUTION_FAILED',
      message: expect.stringMatching(/^no \(a\.yml:14:5\) \(lib\/x\.ts:2:\d+\)$/),
      extras: { suggestions: ['s'] },
    });
  });

  it('uses the first position in the stack when the message has none', async () => {
    const { lineWith, mapped } = await compiled();
    const error = new Error('broken');
    error.stack = `Error: broken\n at f (data.js:1:1)\n at run (/tmp/a.js:${lineWith('  x();')}:3)`;
    expect(mapFailure(error, mapped)).toMatchObject({
      name: 'ToolFailure',
      code: 'EXECUTION_FAILED',
      message: 'broken (a.yml:14:5)',
    });
  });

  it('names only the file for a position in the code that is bundled around it', async () => {
    const { lineWith, mapped } = await compiled();
    const error = new ToolFailure('EXECUTION_FAILED', `no (a.js:${lineWith('executor:')}:5)`);
    expect(mapFailure(error, mapped)).toMatchObject({ message: 'no (a.yml)' });
  });

  it('returns errors without a position, and values that are no errors, as they are', async () => {
    const { mapped } = await compiled();
    const failure = new ToolFailure('TIMEOUT', 'late at data.js:1:1');
    failure.stack = '';
    expect(mapFailure(failure, mapped)).toBe(failure);
    expect(mapFailure('text', mapped)).toBe('text');
  });
});
