/** The console in two tabs of one real browser, which holds one session: what one does, the other notices. */
import { describe, expect, it } from 'vitest';
import { hasBrowser, signIn } from '../fixtures/console-browser.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

const VERA = { user: 'vera', role: 'viewer' } as const;

describe.skipIf(!hasBrowser())('the console in two tabs', { timeout: SLOW }, () => {
  const house = useConsole();

  /** A code for that person, made with the session of the page. */
  const codeFor = (
    page: Awaited<ReturnType<typeof house.enter>>,
    person: { readonly user: string; readonly role: string },
  ): Promise<string> =>
    page.evaluate(`fetch('/v1/session').then((a) => a.json()).then(({ csrf }) =>
      fetch('/v1/session/codes', {
        method: 'POST',
        headers: { 'x-toolcrib-csrf': csrf, 'content-type': 'application/json' },
        body: ${JSON.stringify(JSON.stringify(person))},
      })).then((a) => a.json()).then(({ code }) => code)`) as Promise<string>;

  it('another person signs in: the first tab says who it is now, and goes on as them', async () => {
    const first = await house.enter('#/audit');
    const code = await codeFor(first, VERA);
    const second = await first.context().newPage();
    await second.goto(`${house.server.url}/#code=${code}`);
    await second.getByText('vera', { exact: true }).first().waitFor();
    const said = first.getByRole('alert');
    await said.getByText('Somebody else signed in.').waitFor();
    expect(await said.innerText()).toMatch(/belonged to \S+ \(admin\).*it is now vera \(viewer\)/);
    expect(await first.getByRole('button', { name: 'Verify the chain' }).count()).toBe(0);
    await first.getByRole('button', { name: 'Go on as vera' }).click();
    await first.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    await first.getByText('vera', { exact: true }).first().waitFor();
    await first.locator('.connection-open').waitFor({ state: 'attached' });
    expect(first.complaints).toEqual([]);
  });

  it('a tab that missed the change notices it with its next request, and explains the refusal', async () => {
    const first = await house.enter('#/settings/people');
    const code = await codeFor(first, VERA);
    // The cookie of the browser, without the console in a tab that would tell.
    const answer = await first.context().request.post(`${house.server.url}/v1/session`, {
      data: { code },
      headers: { origin: house.server.url },
    });
    expect(answer.status()).toBe(200);
    await first.getByLabel('Name').fill('otto');
    await first.getByRole('button', { name: 'Make a sign-in link' }).click();
    await first.getByText('Somebody else signed in.').waitFor();
    await first.getByRole('button', { name: 'Go on as vera' }).click();
    await first.getByRole('heading', { name: 'For admins' }).waitFor();
    expect(await first.getByText('CSRF').count()).toBe(0);
  });

  it('the same person signs in again: the first tab continues without interruption', async () => {
    const first = await house.enter('#/settings/people');
    await first.getByLabel('Name').fill('half-written');
    const second = await first.context().newPage();
    await signIn(second, house.server);
    await first.getByRole('button', { name: 'Make a sign-in link' }).click();
    await first.getByRole('region', { name: 'Sign-in link' }).waitFor();
    const again = await first.context().request.post(`${house.server.url}/v1/session`, {
      data: { code: new URL(house.server.link()).hash.replace('#code=', '') },
      headers: { origin: house.server.url },
    });
    expect(again.status()).toBe(200);
    await second.goto(`${house.server.url}/#/settings/people`);
    await first.getByLabel('Name').fill('untold');
    const made = first.waitForResponse(
      (response) => response.url().endsWith('/codes') && response.status() === 201,
    );
    await first.getByRole('button', { name: 'Make a sign-in link' }).click();
    await made;
    expect(await first.getByText('Somebody else').count()).toBe(0);
    expect(first.complaints).toEqual([]);
  });

  it('signing out in one tab signs out the other', async () => {
    const first = await house.enter('#/audit');
    const second = await first.context().newPage();
    await second.goto(`${house.server.url}/#/audit`);
    await second.getByRole('button', { name: 'Sign out' }).click();
    await second.getByLabel('One-time code').waitFor();
    await first.getByText('Your session is over.').waitFor();
  });
});
