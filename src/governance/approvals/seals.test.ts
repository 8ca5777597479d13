import { describe, expect, it } from 'vitest';
import { approvalRecord } from '../../../test/conformance/store-samples.ts';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import type { Grant } from '../../contract/grant.ts';
import { decisionOf, decisionText, grantText, Seals } from './seals.ts';

const sealsOf = (key = openTestKey()) => {
  const warnings: unknown[] = [];
  const log = { warn: (_message: string, fields?: object) => warnings.push(fields) };
  return { seals: new Seals(async () => key, log), warnings, key, log };
};

describe('a seal', () => {
  it('is accepted with the same key, in another process as well', async () => {
    const { seals, key } = sealsOf();
    const seal = await seals.seal('text');
    expect(await seals.isOurs('text', undefined)).toBe(true);
    const other = sealsOf(key).seals;
    expect(await other.isOurs('text', seal)).toBe(true);
    expect(await other.isOurs('text', undefined)).toBe(true);
    expect(await other.isOurs('other', seal)).toBe(false);
  });

  it('is refused when it is of another key, of no key, or missing', async () => {
    const seal = await sealsOf().seals.seal('text');
    expect(await sealsOf().seals.isOurs('text', seal)).toBe(false);
    expect(await sealsOf().seals.isOurs('text', undefined)).toBe(false);
    const keyless = new Seals(() => Promise.reject(new Error('no home')), {
      warn: () => undefined,
    });
    expect(await keyless.isOurs('text', seal)).toBe(false);
  });

  it.each([
    ['an error', new Error('no home'), 'no home'],
    ['anything else', 'oops', 'oops'],
  ])('made without a key counts in this process and is logged: %s', async (_name, thrown, why) => {
    const { log, warnings } = sealsOf();
    const seals = new Seals(() => Promise.reject(thrown), log);
    expect(await seals.seal('text')).toBeUndefined();
    expect(await seals.isOurs('text', undefined)).toBe(true);
    expect(warnings).toEqual([{ why }]);
  });
});

describe('a row without a seal', () => {
  it('is reported once for each kind of row, however many there are', async () => {
    const { seals, warnings } = sealsOf();
    for (const text of ['toolcrib grant 1\na', 'toolcrib grant 1\nb', 'toolcrib token 1\na']) {
      expect(await seals.isOurs(text, undefined)).toBe(false);
    }
    expect(warnings).toEqual([{ kind: 'toolcrib grant 1' }, { kind: 'toolcrib token 1' }]);
  });
});

describe('the sealed text', () => {
  const decided = approvalRecord('a1', { state: 'approved', decidedBy: 'ada', decidedAt: 5 });

  it('of a decision is the same in every version, so that old seals stay valid', () => {
    const [kind, json = ''] = decisionText(decided, decisionOf(decided)).split('\n');
    expect(kind).toBe('toolcrib approval 1');
    expect(Object.keys(JSON.parse(json))).toEqual(
      ['call', 'expiresAt', 'id', 'policyVersion', 'said'].filter((key) => key in JSON.parse(json)),
    );
    expect(JSON.parse(json).said).toEqual({ approve: true, at: 5, by: 'ada' });
  });

  it('covers all of a decision', () => {
    const text = decisionText(decided, decisionOf(decided));
    const changes: Partial<typeof decided>[] = [
      { id: 'a2' },
      { state: 'denied' },
      { decidedBy: 'eve' },
      { decidedAt: 6 },
      { note: 'x' },
      { edited: { input: 1 } },
      { expiresAt: 1 },
      { userId: 'eve' },
      { inputDigest: 'x' },
      { definition: 'x' },
      { targets: [] },
      { policyVersion: 'x' },
    ];
    for (const change of changes) {
      const other = { ...decided, ...change };
      expect([change, decisionText(other, decisionOf(other)) === text]).toEqual([change, false]);
    }
    expect(decisionOf(approvalRecord('a1'))).toEqual({ approve: true, by: '', at: 0 });
  });

  it('covers all of a grant but the seal itself', () => {
    const grant: Grant = {
      id: 'g',
      subject: { user: 'ada' },
      resource: 'tool:x',
      actions: ['*'],
      skipsApproval: false,
      createdAt: 1,
      by: 'boss',
    };
    expect(grantText({ ...grant, seal: 's' })).toBe(grantText(grant));
    expect(grantText({ ...grant, skipsApproval: true })).not.toBe(grantText(grant));
    expect(grantText({ ...grant, subject: {} })).not.toBe(grantText(grant));
  });
});
