import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../contract/schema.ts';
import { completeLine } from './complete-line.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    pattern: { type: 'string' },
    operation: { enum: ['read', 'rename', 'delete'] },
    backup: { type: 'boolean' },
  },
};

const site = {
  commands: new Map([
    ['tools', ['list', 'info', 'tokens']],
    ['trust', []],
  ]),
  tools: () => ['write_file', 'read_file', 'read_result'],
  schemaOf: (tool: string) => (tool === 'read_file' ? SCHEMA : undefined),
};

describe('completeLine', () => {
  it.each([
    ['', ['read_file ', 'read_result ', 'write_file '], ''],
    ['read', ['read_file ', 'read_result '], 'read'],
    ['read_file ', ['backup=', 'operation=', 'path=', 'pattern='], ''],
    ['read_file pa', ['path=', 'pattern='], 'pa'],
    ['read_file path=x pa', ['pattern='], 'pa'],
    ['read_file operation=re', ['operation=read ', 'operation=rename '], 'operation=re'],
    ['read_file backup=', ['backup=false ', 'backup=true '], 'backup='],
    ['read_file path=', [], 'path='],
    ['nobody p', [], 'p'],
    ['read_file constructor=', [], 'constructor='],
    ['/t', ['/tools ', '/trust '], '/t'],
    ['/tools ', ['info ', 'list ', 'tokens '], ''],
    ['/tools info r', ['read_file ', 'read_result '], 'r'],
    ['/tools list r', [], 'r'],
    ['/nobody x', [], 'x'],
  ])('completes %j', (line, hits, part) => {
    expect(completeLine(site, line)).toEqual([hits, part]);
  });
});
