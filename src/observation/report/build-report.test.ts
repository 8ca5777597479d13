import { afterEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../contract/errors.ts';

let open: TestCrib | undefined;
afterEach(() => open?.close());

const crib = async (): Promise<TestCrib> => {
  open = await testCrib(
    [
      aTool(),
      aTool({ name: 'paid', cost: { model: 'usage_based', fixed: 0.25 }, run: () => 'done' }),
      aTool({
        name: 'failing',
        run: () => {
          throw new ToolFailure('LOCK');
        },
      }),
    ],
    { config: { budget: { dailyUsd: 5 } } },
  );
  return open;
};

const monthOf = (real: TestCrib): string => new Date(real.runtime.now()).toISOString().slice(0, 7);

describe('crib.usage.report', () => {
  it('sums a month up by day, user, tool and source, free calls included', async () => {
    const real = await crib();
    await real.execute('echo', {}, { userId: 'ada' });
    await real.execute('paid', {}, { userId: 'ada' });
    await real.execute('failing', {}, { userId: 'grace' });
    await real.execute('echo', {}, { userId: 'grace', dryRun: true });
    const { total, days, users, tools, sources, ...rest } = await real.usage.report(monthOf(real));
    expect(total).toMatchObject({ calls: 3, succeeded: 2, errors: 1, costUsd: 0.25 });
    expect(days).toMatchObject([{ calls: 3, errors: 1 }]);
    expect(users).toMatchObject([
      { name: 'ada', calls: 2, costUsd: 0.25, bookedUsd: 0.25, limit: { usd: 5 } },
      { name: 'grace', calls: 1, errors: 1 },
    ]);
    expect(tools.map(({ name, calls }) => [name, calls])).toEqual([
      ['echo', 1],
      ['failing', 1],
      ['paid', 1],
    ]);
    expect(sources).toMatchObject([{ name: 'custom', calls: 3 }]);
    expect(rest).toMatchObject({ timeZone: 'UTC', isComplete: false });
  });

  it('is empty for another month, and refuses what is no month', async () => {
    const real = await crib();
    await real.execute('echo', {});
    expect((await real.usage.report('1999-12')).total.calls).toBe(0);
    for (const bad of ['2026-13', '2026', 'november', '2026-11-01']) {
      await expect(real.usage.report(bad)).rejects.toThrow('month');
    }
  });
});

describe('crib.usage.reportFile', () => {
  const HOSTILE = '=HYPERLINK("http://x")<script>alert(1)</script>\u202e';

  it('writes names that a spreadsheet would compute as text', async () => {
    const real = await crib();
    await real.execute('echo', {}, { userId: HOSTILE });
    const { text, name } = await real.usage.reportFile(monthOf(real), 'csv');
    expect(name).toBe(`toolcrib-usage-${monthOf(real)}.csv`);
    const line = text.split('\r\n').find((each) => each.includes('HYPERLINK'));
    expect(line).toContain(`,user,"'=HYPERLINK(`);
  });

  it('writes a page without scripts, in which names are text', async () => {
    const real = await crib();
    await real.execute('echo', {}, { userId: HOSTILE });
    const { text } = await real.usage.reportFile(monthOf(real), 'html');
    expect(text).not.toMatch(/<script|\u202e|https?:\/\/(?!x)/u);
    expect(text).toContain('&lt;script&gt;');
    expect(text).toContain('Days in UTC');
    expect(text).toContain("default-src 'none'");
  });

  it('writes no character that a terminal obeys into CSV and JSON', async () => {
    const real = await crib();
    const name = 'eve\u001b[2J\u009b31m\u202e\nx';
    await real.execute('echo', {}, { userId: name });
    const [csv, json] = await Promise.all(
      (['csv', 'json'] as const).map((format) => real.usage.reportFile(monthOf(real), format)),
    );
    expect(csv?.text.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(json?.text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(json?.text ?? '')).toMatchObject({ users: [{ name }] });
  });

  it('writes sums with the same number of digits, and none that looks like nothing', async () => {
    open = await testCrib([
      aTool({ name: 'cents', cost: { model: 'usage_based', fixed: 1.5 }, run: () => 'done' }),
      aTool({ name: 'crumbs', cost: { model: 'usage_based', fixed: 0.00002 }, run: () => 'done' }),
    ]);
    for (const name of ['cents', 'crumbs']) await open.execute(name, {});
    const { text } = await open.usage.reportFile(monthOf(open), 'html');
    expect(text).toContain('<td class="n">$1.5000</td>');
    expect(text).toContain('<td class="n">&lt; $0.0001</td>');
  });

  it('says that a month is not over, has not begun, or had no calls', async () => {
    const real = await crib();
    await real.execute('echo', {});
    const page = async (month: string) => (await real.usage.reportFile(month, 'html')).text;
    expect(await page(monthOf(real))).toContain('The month is not over.');
    const past = await page('1999-12');
    expect(past).toContain('No calls.');
    expect(past).not.toContain('The month');
    const future = await page('2199-01');
    expect(future).toContain('The month has not begun.');
  });

  it('writes JSON that has the whole report', async () => {
    const real = await crib();
    await real.execute('echo', {});
    const { text } = await real.usage.reportFile(monthOf(real), 'json');
    expect(JSON.parse(text)).toMatchObject({ month: monthOf(real), total: { calls: 1 } });
  });
});
