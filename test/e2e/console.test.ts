/** The console in a real browser against a real server: what a person does there, from end to end. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())('the console', { timeout: SLOW }, () => {
  const house = useConsole();

  it('is files only, and small', () => {
    const assets = join(house.server.consoleFolder, 'assets');
    const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
    const bytes = scripts.map((name) => gzipSync(readFileSync(join(assets, name))).length);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(300_000);
    const html = readFileSync(join(house.server.consoleFolder, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=|https?:/);
  });

  it('signs a person in by the link once, and removes the code from the address', async () => {
    const page = await house.open();
    const link = house.server.link();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(page.url()).not.toContain('code');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    const other = await house.open();
    await other.goto(link);
    await other.getByText('The code is wrong, used or too old.').waitFor();
    expect(other.url()).not.toContain('code');
    await page.getByRole('button', { name: 'Sign out' }).click();
    const code = new URL(house.server.link()).hash.replace('#code=', '');
    await page.getByLabel('One-time code').fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect([...page.complaints, ...other.complaints]).toEqual([]);
  });

  it('tries a tool by its form, and shows the call in the activity as it happens', async () => {
    const watcher = await house.enter('#/activity');
    const page = await house.enter('#/tools');
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('calcul');
    // A row that moves while the mouse is down on it is not clicked.
    await page.getByText('1 tool', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'calculator' }).click();
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await page.getByLabel('expression').fill('6 * 7');
    await run.click();
    await page.getByLabel('Result').getByText('42').first().waitFor();
    await watcher.getByRole('link', { name: 'calculator' }).first().waitFor();
    await page.getByRole('link', { name: 'Open the call' }).click();
    await page.getByLabel('Recorded input').getByText('6 * 7').waitFor();
    await page.getByRole('list', { name: 'Stages' }).getByText('execute').waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('draws every kind of field, says what is missing, and does a dry run', async () => {
    const page = await house.enter('#/tools/publish_note');
    await page.getByLabel('title').fill('No');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Characters needed: 3 or more.').first().waitFor();
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
    expect(await house.server.crib.approvals.list()).toEqual([]);
  });

  it('waits for approval, and finishes by itself once a person has approved', async () => {
    const approver = await house.enter();
    const page = await house.enter('#/tools/publish_note');
    await page.getByLabel('Start from an example').selectOption('A release note');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('A person has to agree first.').waitFor();
    const inbox = approver.getByRole('navigation').getByRole('link', { name: /Approvals/ });
    await inbox.getByText('waiting').waitFor({ state: 'attached' });
    await inbox.click();
    await approver
      .getByRole('link', { name: /publish_note/ })
      .first()
      .click();
    await approver.getByLabel('Note').fill('looks right');
    await approver.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByLabel('Result').getByText('published').waitFor();
    await approver.getByText('used', { exact: true }).first().waitFor();
  });

  it('approves the call of an agent with a changed input', async () => {
    const { approvalId, finish } = await house.ask('As asked');
    const page = await house.enter(`#/approvals/${approvalId}`);
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

  it('denies a call, and the agent gets the refusal', async () => {
    const { approvalId, finish } = await house.ask('Not this');
    const page = await house.enter(`#/approvals/${approvalId}`);
    await page.getByLabel('Note').fill('not today');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('denied', { exact: true }).first().waitFor();
    expect(await finish()).toMatchObject({ success: false, status: 'denied' });
  });

  it('allows a tool for the rest of the session, and for no other session', async () => {
    const { approvalId, finish } = await house.ask('The first of many');
    const page = await house.enter(`#/approvals/${approvalId}`);
    await page.getByLabel('This tool and action for the rest of the session').check();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('approved', { exact: true }).first().waitFor();
    expect((await finish()).status).toBe('success');
    const input = { title: 'The second', body: 'B', target: { channel: 'general' } };
    expect((await house.server.crib.execute('publish_note', input, AGENT)).status).toBe('success');
    const other = { ...AGENT, sessionId: 'session-2' };
    expect((await house.server.crib.execute('publish_note', input, other)).status).toBe('pending');
    const [grant] = await house.server.crib.permissions.list();
    await house.server.crib.permissions.revoke(grant?.id ?? '');
  });

  it('shows a running call, and stops it after asking', async () => {
    const page = await house.enter();
    const call = house.server.crib.execute('keep_going', {}, AGENT);
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
    const { approvalId } = await house.ask('invoice\u202Efdp.exe\u200B');
    const page = await house.enter(`#/approvals/${approvalId}`);
    await page.getByText('2 hidden characters are marked below.').waitFor();
    for (const code of ['U+202E', 'U+200B']) await page.getByText(code, { exact: true }).waitFor();
  });

  it('threat: markup in an input stays text', async () => {
    const { approvalId } = await house.ask(
      '<img src=x onerror="document.title=1"><script>1</script>',
    );
    const page = await house.enter(`#/approvals/${approvalId}`);
    await page.getByText('<script>1</script>').first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(page.complaints).toEqual([]);
  });

  it('undoes a write after asking', async () => {
    const as = { ...AGENT, userId: 'local' };
    await house.server.crib.execute('write_file', { path: 'a.txt', content: 'before' }, as);
    const write = await house.server.crib.execute(
      'write_file',
      { path: 'a.txt', content: 'after' },
      as,
    );
    const page = await house.enter(`#/activity/${write.metadata.executionId}`);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(house.server.text('a.txt')).toBe('after');
    await page.getByRole('button', { name: 'Undo the call' }).click();
    await page.getByText('Undone. What the call changed is as it was before.').waitFor();
    expect(house.server.text('a.txt')).toBe('before');
  });

  it('shows why a tool is in quarantine, and accepts it', async () => {
    const page = await house.enter('#/tools/lookup_word');
    await page.getByText('hidden instruction', { exact: true }).waitFor();
    await page.getByText('+description:').waitFor();
    await page.getByRole('button', { name: 'Accept this definition' }).click();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText('Accepted. Models see the tool from now on.').waitFor();
    await page.getByRole('tab', { name: 'Lock' }).click();
    await page.getByText('Its definition is the one that was accepted.').waitFor();
    expect(house.server.crib.tools.get('lookup_word')?.quarantine).toBeUndefined();
  });

  it('can be used by keyboard', async () => {
    const page = await house.enter();
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
