/** Approvals from outside: a call waits in one process, is decided in another, and runs in a third. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalRecord } from '../../src/contract/approver.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

const DELETE = ['run', 'file_operations', 'operation=delete', 'path=a.txt'];

const waitingIn = async (project: Project): Promise<string> => {
  writeFileSync(join(project.folder, 'a.txt'), 'keep me');
  const ended = await project.run([...DELETE, '--json']);
  expect(ended.code).toBe(5);
  return ended.json<ToolResult>().approval?.approvalId ?? '';
};

const isThere = (project: Project): boolean => existsSync(join(project.folder, 'a.txt'));

describe('toolcrib approvals', () => {
  it('lists and shows what waits', async () => {
    const project = createQuickProject();
    expect((await project.run(['approvals'])).out).toContain('Nothing waits');
    const id = await waitingIn(project);
    expect((await project.run(['approvals'])).out).toContain(id);
    const [listed] = (await project.run(['approvals', '--json'])).json<ApprovalRecord[]>();
    expect(listed).toMatchObject({ id, state: 'waiting', tool: 'file_operations' });
    const shown = await project.run(['approvals', 'show', id]);
    expect(shown.out).toContain('path: "a.txt"');
    expect(shown.out).toContain('State: waiting');
  });

  it('an approved call runs once, for the very same input', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    expect((await project.run(['approvals', 'approve', id])).code).toBe(0);
    expect(isThere(project)).toBe(true);
    writeFileSync(join(project.folder, 'b.txt'), 'x');
    const other = [...DELETE.slice(0, 3), 'path=b.txt', '--approval', id];
    expect((await project.run(other)).code).toBe(3);
    expect((await project.run([...DELETE, '--approval', id])).code).toBe(0);
    expect(isThere(project)).toBe(false);
    expect((await project.run([...DELETE, '--approval', id])).code).toBe(3);
  });

  it('a call inside run_code waits, is approved, and runs when the code runs again', async () => {
    const project = createQuickProject();
    writeFileSync(join(project.folder, 'a.txt'), 'keep me');
    const code = 'return tools.file_operations({ operation: "delete", path: "a.txt" });';
    writeFileSync(join(project.folder, 'in.json'), JSON.stringify({ code }));
    const RUN = ['run', 'run_code', '--input', 'in.json', '--json'];
    interface Ran {
      readonly status: string;
      readonly approvals?: readonly { readonly approvalId: string }[];
    }
    const data = async () => (await project.run(RUN)).json<ToolResult<Ran>>().data;
    const first = await data();
    expect([first?.status, isThere(project)]).toEqual(['pending', true]);
    const id = first?.approvals?.[0]?.approvalId ?? '';
    expect((await project.run(['approvals', 'show', id])).out).toContain('Made by: run_code');
    const approved = await project.run(['approvals', 'approve', id]);
    expect(approved.err).toContain('Or when run_code, which made it, makes it again.');
    expect((await data())?.status).toBe('completed');
    expect(isThere(project)).toBe(false);
    writeFileSync(join(project.folder, 'a.txt'), 'another');
    expect((await data())?.status).toBe('pending');
    expect(isThere(project)).toBe(true);
  }, 120_000);

  it('approve --run runs it at once; a second word is refused', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    expect((await project.run(['approvals', 'approve', id, '--run'])).code).toBe(0);
    expect(isThere(project)).toBe(false);
    const again = await project.run(['approvals', 'deny', id, '--json']);
    expect([again.code, again.json<ToolResult>().error?.code]).toEqual([1, 'CONFLICT']);
  });

  it('a denied call does not run', async () => {
    const project = createQuickProject();
    const id = await waitingIn(project);
    expect((await project.run(['approvals', 'deny', id])).code).toBe(0);
    expect((await project.run([...DELETE, '--approval', id])).code).toBe(3);
    expect(isThere(project)).toBe(true);
    expect((await project.run(['approvals', 'show', 'approval_unknown'])).code).toBe(2);
  });
});
