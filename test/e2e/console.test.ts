/** The console in a real browser against a real server: what a person does there, from end to end. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, openPage, signIn } from '../fixtures/console-browser.ts';
import { type ConsoleServer, openConsoleServer } from '../fixtures/console-server.ts';

const AGENT = { userId: 'ada', agentId: 'research-agent', sessionId: 'session-1' };
const SLOW = 120_000;

describe.skipIf(!hasBrowser())('the console', { timeout: SLOW }, () => {
  let server: ConsoleServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await openConsoleServer();
    browser = await openBrowser();
  }, SLOW);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  }, SLOW);

  const enter = async () => {
    const page = await openPage(browser);
    await signIn(page, server);
    const go = (hash: string) => page.goto(`${server.url}/${hash}`);
    return { page, go };
  };

  const ask = async (title: string) => {
    const input = { title, body: 'One\nTwo', target: { channel: 'general' } };
    const result = await server.crib.execute('publish_note', input, AGENT);
    const approvalId = result.approval?.approvalId ?? '';
    const finish = () => server.crib.execute('publish_note', input, { ...AGENT, approvalId });
    return { approvalId, finish };
  };

  it('is files only, and small', () => {
    const assets = join(server.consoleFolder, 'assets');
    const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
    const bytes = scripts.map((name) => gzipSync(readFileSync(join(assets, name))).length);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(300_000);
    const html = readFileSync(join(server.consoleFolder, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=|https?:/);
  });

  it('lets a person in by the link once, and takes the code out of the address', async () => {
    const page = await openPage(browser);
    const link = server.link();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    expect(page.url()).not.toContain('code');
    await page.reload();
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    const other = await openPage(browser);
    await other.goto(link);
    await other.getByText('The code is wrong, used or too old.').waitFor();
    expect(other.url()).not.toContain('code');
    await page.getByRole('button', { name: 'Sign out' }).click();
    const code = new URL(server.link()).hash.replace('#code=', '');
    await page.getByLabel('One-time code').fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    expect([...page.complaints, ...other.complaints]).toEqual([]);
  });

  it('tries a tool by its form, and shows the call in the activity as it happens', async () => {
    const watcher = await enter();
    const { page, go } = await enter();
    await go('#/tools');
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('calcul');
    await page.getByRole('link', { name: 'calculator' }).click();
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await page.getByLabel('expression').fill('6 * 7');
    await run.click();
    await page.getByLabel('Result').getByText('42').first().waitFor();
    await watcher.page.getByRole('link', { name: 'calculator' }).first().waitFor();
    await page.getByRole('link', { name: 'Open the call' }).click();
    await page.getByLabel('Recorded input').getByText('6 * 7').waitFor();
    await page.getByRole('list', { name: 'Stages' }).getByText('execute').waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('draws every kind of field, says what is missing, and does a dry run', async () => {
    const { page, go } = await enter();
    await go('#/tools/publish_note');
    await page.getByLabel('title').fill('No');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Breaks the limit minLength 3.').first().waitFor();
    await page.getByLabel('title').fill('Notes');
    await page.getByLabel('body').fill('Text');
    await page.getByRole('button', { name: 'Add to tags' }).click();
    await page.getByRole('textbox', { name: 'tags 1' }).fill('first');
    await page.getByLabel('Shape').selectOption('Person');
    await page.getByLabel('email').fill('ada@example.com');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = await page.getByLabel('Input as JSON').inputValue();
    expect(JSON.parse(json)).toEqual({
      title: 'Notes',
      body: 'Text',
      priority: 3,
      tags: ['first'],
      target: { email: 'ada@example.com' },
    });
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByLabel('Result').getByText('tier-4-external').waitFor();
    expect(await server.crib.approvals()).toEqual([]);
  });

  it('waits for approval, and finishes by itself once a person agreed', async () => {
    const { page, go } = await enter();
    const approver = await enter();
    await go('#/tools/publish_note');
    await page.getByLabel('Start from an example').selectOption('A release note');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('A person has to agree first.').waitFor();
    const inbox = approver.page.getByRole('navigation').getByRole('link', { name: /Approvals/ });
    await inbox.getByText('waiting').waitFor({ state: 'attached' });
    await inbox.click();
    await approver.page
      .getByRole('link', { name: /publish_note/ })
      .first()
      .click();
    await approver.page.getByLabel('Note').fill('looks right');
    await approver.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByLabel('Result').getByText('published').waitFor();
    await approver.page.getByText('used', { exact: true }).first().waitFor();
  });

  it('approves the call of an agent with a changed input', async () => {
    const { page, go } = await enter();
    const { approvalId, finish } = await ask('As asked');
    await go(`#/approvals/${approvalId}`);
    await page.getByLabel('The exact input').or(page.getByText('The exact input')).waitFor();
    await page.getByRole('button', { name: 'Edit the input' }).click();
    const box = page.getByLabel('Input as JSON');
    await box.fill('{"title": 1}');
    await page.getByText('Has to be string.').waitFor();
    const approve = page.getByRole('button', { name: 'Approve as edited' });
    expect(await approve.isDisabled()).toBe(true);
    const edited = { title: 'As edited', body: 'B', priority: 3, target: { channel: 'general' } };
    await box.fill(JSON.stringify(edited));
    await approve.click();
    await page.getByText('Approved with this input instead').waitFor();
    expect(await finish()).toMatchObject({ status: 'success', data: { note: edited } });
  });

  it('denies, and the agent is told no', async () => {
    const { page, go } = await enter();
    const { approvalId, finish } = await ask('Not this');
    await go(`#/approvals/${approvalId}`);
    await page.getByLabel('Note').fill('not today');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('denied', { exact: true }).first().waitFor();
    expect(await finish()).toMatchObject({ success: false, status: 'denied' });
  });

  it('allows a tool for the rest of the session, and no other session', async () => {
    const { page, go } = await enter();
    const { approvalId, finish } = await ask('The first of many');
    await go(`#/approvals/${approvalId}`);
    await page.getByLabel('This tool and action for the rest of the session').check();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('approved', { exact: true }).first().waitFor();
    expect((await finish()).status).toBe('success');
    const input = { title: 'The second', body: 'B', target: { channel: 'general' } };
    expect((await server.crib.execute('publish_note', input, AGENT)).status).toBe('success');
    const other = { ...AGENT, sessionId: 'session-2' };
    expect((await server.crib.execute('publish_note', input, other)).status).toBe('pending');
    const [grant] = await server.crib.permissions.list();
    await server.crib.permissions.revoke(grant?.id ?? '');
  });

  it('shows a call while it runs, and stops it after asking', async () => {
    const { page } = await enter();
    const call = server.crib.execute('keep_going', {}, AGENT);
    await page.getByRole('link', { name: 'keep_going' }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stop the call' }).click();
    expect((await call).status).toBe('cancelled');
    await page
      .getByRole('region', { name: /^Call/ })
      .getByText('cancelled', { exact: true })
      .waitFor();
  });

  it('threat: an input that hides characters is shown with all of them marked', async () => {
    const { page, go } = await enter();
    const { approvalId } = await ask('invoice\u202Efdp.exe\u200B');
    await go(`#/approvals/${approvalId}`);
    await page.getByText('2 hidden characters are marked below.').waitFor();
    for (const code of ['U+202E', 'U+200B']) await page.getByText(code, { exact: true }).waitFor();
  });

  it('threat: markup in an input stays text', async () => {
    const { page, go } = await enter();
    const { approvalId } = await ask('<img src=x onerror="document.title=1"><script>1</script>');
    await go(`#/approvals/${approvalId}`);
    await page.getByText('<script>1</script>').first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(page.complaints).toEqual([]);
  });

  it('undoes a write after asking', async () => {
    const { page, go } = await enter();
    const as = { ...AGENT, userId: 'local' };
    await server.crib.execute('write_file', { path: 'a.txt', content: 'before' }, as);
    const write = await server.crib.execute('write_file', { path: 'a.txt', content: 'after' }, as);
    await go(`#/activity/${write.metadata.executionId}`);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(server.text('a.txt')).toBe('after');
    await page.getByRole('button', { name: 'Undo the call' }).click();
    await page.getByText('Undone. What the call changed is as it was before.').waitFor();
    expect(server.text('a.txt')).toBe('before');
  });

  it('shows why a tool is held back, and lets it in', async () => {
    const { page, go } = await enter();
    await go('#/tools/lookup_word');
    await page.getByText('hidden instruction', { exact: true }).waitFor();
    await page.getByText('+description:').waitFor();
    await page.getByRole('button', { name: 'Accept this definition' }).click();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText('Accepted. Models see the tool from now on.').waitFor();
    await page.getByRole('tab', { name: 'Lock' }).click();
    await page.getByText('Its definition is the one that was accepted.').waitFor();
    expect(server.crib.tools.get('lookup_word')?.quarantine).toBeUndefined();
  });

  it('works by keyboard', async () => {
    const { page } = await enter();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Tools', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'analyze_code' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('file');
    await page.getByRole('link', { name: 'analyze_code' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^edit_files/ }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'file_operations', level: 1 }).waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
