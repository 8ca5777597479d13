/** The catalog page in a real browser: review, publication and history of a team's catalog. */
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { checkLook, LOOKS } from '../fixtures/console-looks.ts';
import { deniesTool, shoutTool } from '../fixtures/team-server.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

const callerOf = (userId: string) => ({ userId, agentId: userId, sessionId: 'session-1' });
const [ADA, BOB, ROOT] = ['ada', 'bob', 'root'].map(callerOf) as [
  ReturnType<typeof callerOf>,
  ReturnType<typeof callerOf>,
  ReturnType<typeof callerOf>,
];

describe.skipIf(!hasBrowser())('the catalog page', { timeout: SLOW }, () => {
  const house = useConsole([], async () => ({
    config: { server: { catalog: { org: 'guild', expiresDays: 90 } } },
  }));
  const catalog = () => house.server.catalog();
  const propose = (entry: object, note?: string) =>
    catalog().propose({ action: 'put', entry }, note, ADA);
  /** Proposes as ada, approves as bob and publishes as root. */
  const publish = async (entry: object) => {
    const { id, digest } = await propose(entry);
    await catalog().decide(id, { approve: true, digest }, BOB);
    return catalog().publish({}, ROOT);
  };

  it('says what to do while nothing is proposed or published', async () => {
    const page = await house.enter('#/catalog');
    await page.getByRole('heading', { name: 'Nothing waits for review' }).waitFor();
    await page.getByText('nothing yet').waitFor();
    await page.getByRole('tab', { name: 'Published' }).click();
    await page.getByRole('heading', { name: 'Nothing is published yet' }).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'Nothing was published yet' }).waitFor();
    await page.getByRole('tab', { name: 'Your team' }).click();
    await page.getByRole('heading', { name: 'This machine is in no team' }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('an admin reads the difference, approves, publishes and rolls back, with name and note on record', async () => {
    const before = await publish(deniesTool('datetime'));
    const { id } = await propose(deniesTool('calculator'), 'nobody needs it');
    const page = await house.enter('#/catalog');
    await page.getByRole('tab', { name: 'Proposals (1)' }).waitFor();
    await page.getByRole('link', { name: /team-rule/ }).click();
    const detail = page.getByRole('region', { name: `Proposal ${id}` });
    const diff = detail.getByRole('figure', { name: 'Difference to what is published' });
    await diff.waitFor();
    expect(await diff.locator('.diff-del').allInnerTexts()).toEqual(['-  - datetime\n']);
    expect(await diff.locator('.diff-add').allInnerTexts()).toEqual(['+  - calculator\n']);
    await detail.getByText('nobody needs it').waitFor();
    await detail.getByLabel('Note').fill('agreed');
    await detail.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved. An admin can publish it.').waitFor();
    await page.getByText('1 approved proposal is not published yet.').waitFor();
    await page.getByRole('button', { name: 'Publish 1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('proposed by ada, approved by local').waitFor();
    await dialog.getByLabel('Note').fill('autumn');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByText(`Bundle ${before.serial + 1} is published: 1 entry.`).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    const row = page.getByRole('row').filter({ hasText: 'autumn' });
    await row.getByText('local').waitFor();
    await row.getByText('in force').waitFor();
    await page.getByRole('button', { name: `Roll back to bundle ${before.serial}` }).click();
    await page.getByRole('dialog').getByLabel('Note').fill('too strict');
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByText(`content of ${before.serial}`, { exact: true }).waitFor();
    const [restored, published] = await catalog().history();
    expect([published, restored]).toMatchObject([
      { publishedBy: 'local', note: 'autumn', proposals: [id] },
      { publishedBy: 'local', note: 'too strict', restored: before.serial },
    ]);
    const decided = (await catalog().proposals()).find((each) => each.id === id);
    expect(decided).toMatchObject({ decidedBy: 'local', decisionNote: 'agreed' });
    const events = await house.server.crib.audit.query({
      kind: 'event',
      status: 'success',
      userId: 'local',
    });
    expect(events.map(({ tool }) => tool).slice(0, 3)).toEqual([
      ...['team_rollback', 'team_publish', 'team_approve'],
    ]);
    expect(page.complaints).toEqual([]);
  });

  it('a proposal is written in the page, and its proposer can take it back but not approve it', async () => {
    const page = await house.enter('#/catalog');
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click();
    await dialog.getByText('Name the entry.').waitFor();
    await dialog.getByLabel('Kind').selectOption('rule');
    await dialog.getByLabel('Name').fill('ask-first');
    await dialog.getByLabel('The rule, as JSON').fill('{ "effect": "allow" }');
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click();
    await dialog.getByText(/A team asks or denies/).waitFor();
    await dialog.getByLabel('The rule, as JSON').fill('{"effect":"ask","tools":["write_file"]}');
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click();
    await page.getByText('You proposed this, so somebody else has to approve it').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('region', { name: 'Decide' }).getByLabel('Note').fill('a mistake');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Rejected.', { exact: true }).waitFor();
    await page.getByText('a mistake').waitFor();
    const [rejected] = await catalog().proposals('rejected');
    expect(rejected).toMatchObject({ proposedBy: 'local', decisionNote: 'a mistake' });
    expect(page.complaints).toEqual([]);
  });

  it('an operator approves proposals of others, and is told that an admin publishes', async () => {
    const { id } = await propose({ kind: 'enforce', name: 'calculator' });
    const page = await house.enterAs('otto', 'operator', `#/catalog/proposals/${id}`);
    await page.getByText('Clients cannot switch off, replace or remove this tool.').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/An admin publishes them\./).waitFor();
    expect(await page.getByRole('button', { name: /^Publish|^Renew/ }).count()).toBe(0);
    await page.getByText('Until it is published it can still be rejected.').waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Rejected.', { exact: true }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('a viewer reads everything and finds no button that would be refused', async () => {
    const { id } = await propose(deniesTool('uuid'));
    await publish(deniesTool('hash'));
    const page = await house.enterAs('vera', 'viewer', `#/catalog/proposals/${id}`);
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    await page.getByText('Operators and admins approve and reject.').waitFor();
    for (const tab of ['Published', 'History', 'Your team']) {
      await page.getByRole('tab', { name: tab }).click();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    }
    await page.goto(`${house.server.url}/#/catalog/entries/rule/team-rule`);
    await page.getByRole('figure', { name: 'The rule' }).waitFor();
    for (const name of [/^Propose/, /^Approve/, /^Reject/, /^Publish/, /^Renew/, /^Roll back/]) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    expect([refused, page.complaints]).toEqual([[], []]);
  });

  it('a decision of somebody else shows without a reload, and keeps typed text', async () => {
    const { id, digest } = await propose(deniesTool('base64'));
    const other = await propose({ kind: 'revoke', name: 'calculator' });
    const page = await house.enter(`#/catalog/proposals/${other.id}`);
    await page.getByRole('region', { name: 'Decide' }).getByLabel('Note').fill('half-writ');
    await page
      .getByRole('row', { name: /team-rule/ })
      .first()
      .waitFor();
    const rows = await page.getByRole('row', { name: /team-rule/ }).count();
    await catalog().decide(id, { approve: false, digest }, BOB);
    await expect
      .poll(() => page.getByRole('row', { name: /team-rule/ }).count(), { timeout: 20_000 })
      .toBe(rows - 1);
    const note = page.getByRole('region', { name: 'Decide' }).getByLabel('Note');
    expect(await note.inputValue()).toBe('half-writ');
  });

  it('hostile text of a proposal is marked, and a very long one does not stop the page', async () => {
    const hostile = '# \u202Egnirts <img src=x onerror=alert(1)>\n';
    const text = `${shoutTool()}${hostile}${'# x\n'.repeat(20_000)}`;
    const { id } = await propose({ kind: 'tool', name: 'shout.yml', text });
    const page = await house.enter(`#/catalog/proposals/${id}`);
    const diff = page.getByRole('figure', { name: 'Difference to what is published' });
    await diff.getByText('1 hidden character is marked below.').waitFor();
    expect(await diff.locator('.hidden-character').innerText()).toBe('U+202E');
    expect(await diff.locator('img').count()).toBe(0);
    expect(await diff.locator('.diff-line').count()).toBe(2_000);
    await diff.getByRole('button', { name: /^Show all .* characters$/ }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it.each(LOOKS)('fits and has no serious fault: $name', async ({ name, rules, ...look }) => {
    const entry = { kind: 'tool', name: 'shout.yml', text: shoutTool('hi') };
    if (name === LOOKS[0].name) {
      await publish({ ...entry, text: shoutTool() });
      await propose(entry, 'It should be friendlier.');
    }
    const [waiting] = await catalog().proposals('open');
    const page = await house.enter(`#/catalog/proposals/${waiting?.id}`, look);
    const places = [
      ['proposal', `#/catalog/proposals/${waiting?.id}`],
      ['proposals', '#/catalog/proposals?state=any'],
      ['entry', '#/catalog/entries/tool/shout.yml'],
      ['history', '#/catalog/history'],
      ['team', '#/catalog/team'],
    ] as const;
    for (const [place, hash] of places) {
      await page.goto(`${house.server.url}/${hash}`);
      expect([place, await checkLook(page, `catalog-${place}-${name}`, rules)]).toEqual([
        place,
        [],
      ]);
    }
    await page.goto(`${house.server.url}/#/catalog/proposals`);
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Kind').selectOption('rule');
    expect(await checkLook(page, `catalog-propose-${name}`, rules)).toEqual([]);
    expect(page.complaints).toEqual([]);
  });
});
