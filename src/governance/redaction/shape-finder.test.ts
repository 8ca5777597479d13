import { describe, expect, it } from 'vitest';
import { benignCorpus } from '../../../test/guarantees/a3-benign.ts';
import { SECRET_SAMPLES } from '../../../test/guarantees/a3-shapes.ts';
import { REDACTED, Redactor } from './redaction.ts';
import { MIN_SHAPE_LENGTH, SECRET_SHAPES } from './secret-shapes.ts';

const redactor = new Redactor();

describe('threat: credentials of well-known makers in whatever leaves the crib', () => {
  it.each(SECRET_SAMPLES)('%s', (_maker, before, secret, after) => {
    expect(redactor.text(before + secret + after)).toBe(before + REDACTED + after);
  });

  it.each(SECRET_SAMPLES)('%s, twice in a JSON text', (_maker, before, secret, after) => {
    const text = JSON.stringify({ a: before + secret + after, b: [before + secret + after] });
    const clean = redactor.text(text);
    expect(clean).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(clean.split(REDACTED)).toHaveLength(3);
  });

  it.each(SECRET_SAMPLES)(
    '%s: text without credentials stays unchanged',
    (_maker, before, secret, after) => {
      const clean = redactor.text(before + secret + after);
      expect(redactor.text(clean)).toBe(clean);
    },
  );

  it('the secret key beside its key id goes with it', () => {
    const id = `AKIA${'Q7W2E9RT'.repeat(2)}`;
    const key = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEY1';
    expect(redactor.text(`me,${id},${key}\n`)).toBe(`me,${REDACTED},${REDACTED}\n`);
  });

  it('a private key that is cut off, or without an end', () => {
    const half = `-----BEGIN PRIVATE KEY-----\n${'MIIE'.repeat(30)}`;
    expect(redactor.text(`x ${half}`)).toBe(`x ${REDACTED}`);
  });

  it('the private key in the file of a service account', () => {
    const account = JSON.stringify({
      type: 'service_account',
      private_key: `-----BEGIN PRIVATE KEY-----\n${'MIIE'.repeat(30)}\n-----END PRIVATE KEY-----\n`,
      client_email: 'me@example.com',
    });
    const clean = redactor.text(account);
    expect(clean).not.toContain('MIIE');
    expect(clean).toContain('me@example.com');
  });

  it.each(['%3D', '\\n', '&amp;', '\\u003d'])('after the escape %s', (escaped) => {
    const clean = redactor.text(`x${escaped}ghp_${'a1B2'.repeat(9)} y`);
    expect(clean).toBe(`x${escaped}${REDACTED} y`);
  });

  it.each(['x', '_', 'token', 'Zm9v', '7'])('glued to %j, where no word has its start', (glue) => {
    const tokens = [
      `ghp_${'a1B2'.repeat(9)}`,
      `github_pat_${'a1B2'.repeat(9)}`,
      `sk_live_${'a1B2'.repeat(5)}`,
      `dckr_pat_${'a1B2'.repeat(7)}`,
      `lin_api_${'a1B2'.repeat(10)}`,
    ];
    for (const token of tokens) {
      expect(redactor.text(`a ${glue}${token} b`)).toBe(`a ${glue}${REDACTED} b`);
    }
    expect(redactor.text(`_ghp_${'a1B2'.repeat(9)}_`)).toBe(`_${REDACTED}_`);
  });

  it.each([
    ['Anthropic', `sk-ant-api03-${'a1B2-_'.repeat(15)}AA`],
    ['Anthropic, an administrator', `sk-ant-admin01-${'a1B2-_'.repeat(15)}AA`],
    ['OpenAI, a project', `sk-proj-${'a1B2-_'.repeat(8)}T3BlbkFJ${'a1B2-_'.repeat(8)}`],
    ['OpenAI, older', `sk-${'a1B2c3D4e5'.repeat(2)}T3BlbkFJ${'a1B2c3D4e5'.repeat(2)}`],
    ['OpenRouter', `sk-or-v1-${'0123456789abcdef'.repeat(4)}`],
    ['GitLab', `glpat-${'a1B2'.repeat(5)}`],
    ['Slack', `xoxb-${'1234567890'}-${'a1B2c3D4'.repeat(3)}`],
  ])('glued to a word, a key of %s', (_maker, token) => {
    for (const glue of ['eve', 'x', '_', '7', 'Zm9v']) {
      expect(redactor.text(`a ${glue}${token} b`)).toBe(`a ${glue}${REDACTED} b`);
    }
  });

  it.each([
    'task-ant-colony03-simulation-of-the-foraging-behaviour',
    'desk-or-v1-of-the-furniture-catalogue-2024',
    'task-proj-2024-migration-of-the-customer-database',
    'risk-antarctica-expedition-report-of-2024-final-version',
  ])('benign: %s is a name and no key', (text) => {
    expect(redactor.text(text)).toBe(text);
  });

  it.each([
    'task-force-of-the-northern-region-2024',
    'xghp_short',
    'highp_precision_float_vector_of_four_0',
    'disk_live_migration_of_machines',
  ])('benign: %s is no token', (text) => {
    expect(redactor.text(text)).toBe(text);
  });

  it('each starts with a literal of at least two characters and repeats nothing without end', () => {
    for (const { starts, lead = '', body } of SECRET_SHAPES) {
      for (const start of starts) expect(start.length).toBeGreaterThanOrEqual(2);
      expect(lead + body).not.toMatch(/[^\\][*+](?![^[]*\])|\{\d+,\}/);
    }
    expect(MIN_SHAPE_LENGTH).toBeGreaterThan(0);
  });

  it.each([
    ['starts of keys', '-----BEGIN PRIVATE KEY-----'],
    ['colons and slashes', '://a:'],
    ['queries', '?password='],
    ['tokens', 'eyJaaaaaaaaa.'],
    ['bearers', 'Bearer '],
    ['key ids', 'AKIA'],
    ['discords', 'MTaaaaaaaaaaaaaaaaaaaaaaaa.'],
    ['escapes', '%25%32%35&amp;amp;\\\\\\\\'],
  ])('threat: half a million characters of %s take no long time', (_what, part) => {
    const text = part.repeat(Math.ceil(500_000 / part.length));
    // The time of the processor, because the machine that runs this may be busy.
    const started = process.cpuUsage();
    redactor.text(text);
    expect(process.cpuUsage(started).user).toBeLessThan(15_000_000);
  });
});

describe('benign: what only looks like a secret comes through', () => {
  it.each(Object.entries(benignCorpus()))('%s', (_kind, texts) => {
    const altered = texts.filter((text) => redactor.text(text) !== text);
    expect(altered).toEqual([]);
  });
});
