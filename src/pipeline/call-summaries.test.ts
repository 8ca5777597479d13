import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import { summaryOfRow } from '../contract/call-summary.ts';

const SECRET = 'sk-live-1234567890abcdefghij';

describe('the summary of a call', () => {
  const wipe = aTool({
    name: 'wipe',
    tier: 'execute',
    capabilities: [{ action: 'erase', description: '' }],
  });

  it('is on the question, in its event, on the rows and in the event of the end, redacted', async () => {
    const crib = await testCrib([wipe], {});
    const told: string[] = [];
    crib.events.on('approval.requested', ({ summary }) => told.push(summary));
    crib.events.on('call.finished', ({ summary }) => told.push(summary));
    const input = { command: 'rm', title: 'a\u0007', password: SECRET };
    const pending = await crib.execute('wipe', input);
    const [record] = await crib.approvals.list();
    const line = 'erase · command: rm, title: a\\u0007, password: [REDACTED]';
    expect(record?.summary).toBe(line);
    const approvalId = pending.approval?.approvalId ?? '';
    await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
    await crib.execute('wipe', input, { approvalId });
    const rows = await crib.audit.query({ tool: 'wipe' });
    const lines = rows.filter(({ kind }) => kind !== 'event').map(summaryOfRow);
    expect(new Set([...lines, ...told])).toEqual(new Set([line]));
    expect(JSON.stringify(rows)).not.toContain(SECRET);
  });

  it('of a call with an edited input is that of the input that ran', async () => {
    const approver = {
      ask: async () => ({ answer: 'approve' as const, by: 'ada', input: { command: 'ls' } }),
    };
    const crib = await testCrib([wipe], { approver });
    await crib.execute('wipe', { command: 'rm' });
    const [row] = await crib.audit.query();
    expect(row && summaryOfRow(row)).toBe('erase · command: ls');
  });

  it('of a call that only reads is made from its row', async () => {
    const crib = await testCrib([aTool()]);
    await crib.execute('echo', { expression: '1+1' });
    const [row] = await crib.audit.query();
    expect(row && summaryOfRow(row)).toBe('expression: 1+1');
    expect(row?.detail).not.toHaveProperty('summary');
  });
});
