import { describe, expect, it } from 'vitest';
import { formOf, NEW_FORM, parseForm } from './propose-form.ts';

describe('the form of a proposal', () => {
  it('sends the file of a tool exactly as it was pasted', () => {
    const form = { ...NEW_FORM, name: ' lint.yml ', content: 'name: lint\n' };
    const entry = { kind: 'tool', name: 'lint.yml', text: 'name: lint\n' };
    expect(parseForm(form)).toEqual({ change: { action: 'put', entry } });
  });

  it('gives a rule the name of its entry', () => {
    const form = { ...NEW_FORM, kind: 'rule' as const, name: 'no-mail' };
    expect(parseForm({ ...form, content: '{ "name": "other", "effect": "deny" }' })).toEqual({
      change: {
        action: 'put',
        entry: { kind: 'rule', name: 'no-mail', rule: { name: 'no-mail', effect: 'deny' } },
      },
    });
  });

  it('needs no name to forbid local tools', () => {
    expect(parseForm({ ...NEW_FORM, kind: 'no-local-tools' })).toEqual({
      change: { action: 'put', entry: { kind: 'no-local-tools', name: 'all' } },
    });
  });

  it.each(['', '[1]', 'null', '"text"', '{ "effect": '])(
    'asks for an object where the settings are %j',
    (content) => {
      const form = { ...NEW_FORM, kind: 'source' as const, name: 'shop', content };
      expect(parseForm(form)).toMatchObject({ field: 'content' });
    },
  );

  it('asks for a name', () => {
    expect(parseForm({ ...NEW_FORM, name: '  ' })).toMatchObject({ field: 'name' });
  });

  it('proposes the same entry again when a published one is opened and left as it is', () => {
    const entries = [
      { kind: 'tool', name: 'lint.yml', text: 'name: lint\n' },
      { kind: 'rule', name: 'no-mail', rule: { name: 'no-mail', effect: 'deny' } },
      { kind: 'source', name: 'shop', type: 'grpc', settings: { url: 'https://shop.example' } },
    ];
    expect(entries.map((entry) => parseForm(formOf(entry)))).toEqual(
      entries.map((entry) => ({ change: { action: 'put', entry } })),
    );
  });
});
