import { describe, expect, it } from 'vitest';
import { checkpointFile, verificationText } from './verification.ts';

const head = { seq: 1216, hash: 'ab'.repeat(32) };

describe('what the verification found', () => {
  it('says that the chain is whole, and how far', () => {
    expect(verificationText({ ok: true, rows: 1216, head })).toEqual({
      title: 'The chain is whole',
      checked: '1,216 rows checked, up to row 1216: every hash fits the row before it.',
      meaning: '',
      message: '',
    });
    expect(verificationText({ ok: true, rows: 0 }).title).toBe('The trail is empty');
  });

  it.each([
    ['edited', 'A row was changed after it was written.'],
    ['gap', 'Rows are missing in the middle.'],
    ['truncated', 'Rows are missing at the end.'],
    ['constructor', 'The trail cannot be trusted as it is.'],
  ])('says where it is broken and what %s means', (kind, meaning) => {
    const problem = { kind, seq: 7, message: 'The hash does not fit.' };
    expect(verificationText({ ok: false, rows: 7, head, problem })).toMatchObject({
      title: 'The chain is broken at row 7',
      meaning,
      message: 'The hash does not fit.',
    });
  });

  it('threat: a trail called whole although a problem came with it', () => {
    const problem = { kind: 'edited', seq: 7, message: '' };
    expect(verificationText({ ok: true, rows: 9, problem }).title).toContain('broken');
    expect(verificationText({ ok: false, rows: 9 }).title).toBe('The chain is broken');
  });

  it('names the file of a checkpoint after its row', () => {
    expect(checkpointFile({ seq: 12 } as never)).toBe('toolcrib-checkpoint-12.json');
  });
});
