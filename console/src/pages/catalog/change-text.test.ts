import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from './catalog-records.ts';
import { changeEffect, changeVerb, kindEffect } from './change-text.ts';

describe('the words for a change of the catalog', () => {
  it.each(ENTRY_KINDS)('say what %s does when it is put in and when it is taken out', (kind) => {
    const put = changeVerb({ action: 'put', entry: { kind, name: 'x' } });
    const remove = changeVerb({ action: 'remove', kind, name: 'x' });
    expect(put).not.toBe(remove);
    expect(kindEffect(kind)).toMatch(/\.$/);
  });

  it('of a kind that this console does not know still say what happens', () => {
    const change = { action: 'put', entry: { kind: 'novel', name: 'x' } } as const;
    expect([changeVerb(change), changeEffect(change)]).toEqual(['Put', '']);
  });
});
