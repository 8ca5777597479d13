import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { type ToolError, ToolFailure } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import { noteNextStep } from '../session/make-call.ts';
import { refusedResult, withSearchHint } from './make-call.ts';

const said = (result: ToolResult, input: unknown = { path: "a'b" }) => {
  const { io, err } = fakeIo();
  noteNextStep(io, result, { input, caller: { userId: 'ada' } });
  return err();
};

const refused = (message: string): ToolResult =>
  refusedResult('write_file', new ToolFailure('PERMISSION_DENIED', message), 0);

describe('noteNextStep', () => {
  it('names the command that explains a refusal by a rule', () => {
    expect(said(refused('No. (rule no-writes)'))).toBe(
      `  → Why: toolcrib policy explain write_file '{"path":"a'\\''b"}' --user ada\n`,
    );
  });

  it('leaves out a long input, and makes hidden characters visible', () => {
    const long = said(refused('No. (rule r)'), { path: 'x'.repeat(600) });
    expect(long).toContain('--input <the same input, in a file>');
    expect(said(refused('No. (rule r)'), { path: '\u202e' })).toContain('\\u202e');
  });

  it('prints nothing where no rule refused', () => {
    expect(said(refused('The file may not be read.'))).toBe('');
    expect(said(refusedResult('t', new ToolFailure('NOT_FOUND', 'x (rule r)'), 0))).toBe('');
  });

  it('names the command that shows a waiting approval', () => {
    const { metadata, error } = refused('');
    const pending: ToolResult = {
      success: false,
      metadata,
      error: error as ToolError,
      status: 'pending',
      approval: { approvalId: 'a1', expiresAt: 1 },
    };
    expect(said(pending)).toContain('toolcrib approvals show a1');
  });
});

describe('a call of a tool that is not there', () => {
  it('names the command that searches the tools', () => {
    const servers = { list: () => [] } as unknown as Parameters<
      typeof withSearchHint
    >[0]['servers'];
    const result = refusedResult('nosuch', new ToolFailure('TOOL_NOT_FOUND'), 0);
    expect(withSearchHint({ servers }, result).error?.suggestions).toEqual([
      'Search the tools: toolcrib tools search <words>',
    ]);
  });
});
