/** The form of a tool whose input is lists in objects in lists, in a real browser. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { nestedTool } from '../fixtures/nested-tool.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())('a nested form', { timeout: SLOW }, () => {
  const house = useConsole([nestedTool]);

  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  const box = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  /** What would be sent; the form is open again afterwards. */
  const written = async (page: Page): Promise<unknown> => {
    await page.getByRole('tab', { name: 'JSON' }).click();
    const text = await page.getByLabel('Input as JSON').inputValue();
    await page.getByRole('tab', { name: 'Form' }).click();
    return JSON.parse(text);
  };
  const step = (page: Page, at: number) =>
    page.getByRole('group', { name: `steps ${at} required`, exact: true });

  /** Two steps, the first with two lists of numbers. */
  const fill = async (page: Page): Promise<void> => {
    for (const [at, name] of ['first', 'second'].entries()) {
      await press(page, 'Add to steps');
      await step(page, at + 1)
        .getByLabel('name')
        .fill(name);
    }
    for (const row of [1, 2]) {
      await step(page, 1).getByRole('button', { name: 'Add to args', exact: true }).click();
      for (const column of [1, 2]) {
        await press(page, `Add to args ${row}`);
        await page
          .getByRole('spinbutton', { name: `args ${row} ${column}` })
          .fill(`${row * 2 + column}`);
      }
    }
  };

  it('keeps every value in its place while items are added and removed', async () => {
    const page = await house.enter('#/tools/nested');
    await fill(page);
    const both = { name: 'second', args: [] };
    const first = {
      name: 'first',
      args: [
        [3, 4],
        [5, 6],
      ],
    };
    expect(await written(page)).toEqual({ steps: [first, both] });
    await press(page, 'Remove args 1 2');
    expect(await written(page)).toEqual({ steps: [{ ...first, args: [[3], [5, 6]] }, both] });
    await press(page, 'Remove args 1');
    expect(await page.getByRole('spinbutton', { name: 'args 1 1' }).inputValue()).toBe('5');
    await press(page, 'Remove steps 1');
    expect(await step(page, 1).getByLabel('name').inputValue()).toBe('second');
    expect(await written(page)).toEqual({ steps: [both] });
    expect(page.complaints).toEqual([]);
  });

  it('marks the wrong field, however deep, and sends the whole input once it is right', async () => {
    const page = await house.enter('#/tools/nested');
    await fill(page);
    const wrong = page.getByRole('spinbutton', { name: 'args 2 1' });
    await wrong.fill('77');
    await press(page, 'Run');
    await page.getByText('steps[0].args[1][0]').waitFor();
    const marked = page.locator('form [aria-invalid]');
    expect(await marked.count()).toBe(1);
    expect(await marked.inputValue()).toBe('77');
    await wrong.fill('7');
    await press(page, 'Run');
    await page.getByLabel('Result').getByText('success', { exact: true }).waitFor();
    const data = await page.getByLabel('Result').getByLabel('Data').locator('code').innerText();
    expect(JSON.parse(data)).toMatchObject({
      steps: [
        {
          args: [
            [3, 4],
            [7, 6],
          ],
        },
        {},
      ],
    });
  });

  it('switches to JSON where a value is nested too deep for fields, and keeps text that is not JSON yet', async () => {
    const page = await house.enter('#/tools/nested');
    await press(page, 'Set deep');
    const last = page.locator('form .group textarea.json-box');
    await last.waitFor();
    expect(await page.locator('form .group').count()).toBeLessThan(9);
    await last.fill('{"in": {"in": ');
    await press(page, 'Run');
    await page.getByText('This is not valid JSON.').first().waitFor();
    expect(await last.inputValue()).toBe('{"in": {"in": ');
    await last.fill('{"in": "end"}');
    await page.getByText('This is not valid JSON.').first().waitFor({ state: 'detached' });
    const text = JSON.stringify(await written(page));
    expect(text).toContain('{"in":"end"}');
    await press(page, 'Leave out deep');
    expect(await written(page)).toEqual({ steps: [] });
    await box(page, 'Input as JSON').waitFor({ state: 'detached' });
  });
});
