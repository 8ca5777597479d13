/** What the context of a custom tool reaches: folders, the model and docker, in the real sandbox. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openTestSource, type TestSource } from '../../../test/fixtures/custom-source.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import type { FileInfo, ToolContext } from '../../contract/context.ts';

const opened: TestSource[] = [];
afterEach(async () => {
  for (const source of opened.splice(0)) await source.close();
});

const run = async (body: string, context: ToolContext, needs = ''): Promise<unknown> => {
  const text = `name: x\ndescription: does x\nschema:\n  type: object\n${needs}code: |\n  export const execute = async (args, context) => ${body};\n`;
  const source = openTestSource({ 'x.yml': text });
  opened.push(source);
  return (await source.tool('x')).run({}, context);
};

const info = (path: string): FileInfo => ({ path, kind: 'file', size: 1, modifiedMs: 0 });

describe('platform.fs.readdir', () => {
  it.each(['out', 'out/', './out'])('gives the names in %s, without the folder', async (folder) => {
    const base = fakeContext();
    const list = async () => [info('out/a.txt'), info('out/b b.txt')];
    const context = fakeContext({ fs: { ...base.fs, list } });
    expect(await run(`context.platform.fs.readdir('${folder}')`, context)).toEqual([
      'a.txt',
      'b b.txt',
    ]);
  });
});

describe('the model', () => {
  const reply = { text: 'hi', model: 'm', inputTokens: 3, outputTokens: 4, costUsd: 0.5 };
  const withModel = () => {
    const generate = vi.fn(async () => reply);
    const charge = vi.fn();
    return {
      generate,
      charge,
      context: fakeContext({ model: { configured: true, generate }, charge }),
    };
  };
  const ASK = "context.model.generate({ prompt: 'hello', maxTokens: 1e9 }).then((r) => r.text)";

  it('answers a tool that declares it, with bounded tokens, and the call is charged', async () => {
    const { generate, charge, context } = withModel();
    expect(await run(ASK, context, 'needs:\n  model: true\n')).toBe('hi');
    expect(generate.mock.calls).toMatchObject([[{ prompt: 'hello', maxTokens: 8192 }]]);
    expect(charge.mock.calls).toEqual([[{ tokens: 7, cost: 0.5 }]]);
  });

  it.each(['', 'needs:\n  model: false\n'])('hostile: is not reached with %j', async (needs) => {
    const { generate, context } = withModel();
    await expect(run(ASK, context, needs)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(generate).not.toHaveBeenCalled();
  });

  it('says so where none is configured', async () => {
    const work = run(ASK, fakeContext(), 'needs:\n  model: true\n');
    await expect(work).rejects.toMatchObject({ code: 'MODEL_NOT_CONFIGURED' });
  });
});

describe('platform.docker', () => {
  it('goes through the docker tool, which is judged like any other call', async () => {
    const call = vi.fn(async () => ({ success: true, data: { exitCode: 0 } }));
    const context = fakeContext({ call: call as never });
    const body = "context.platform.docker.run({ image: 'alpine', action: 'build' })";
    expect(await run(body, context)).toEqual({ exitCode: 0 });
    expect(call.mock.calls).toEqual([['docker', { image: 'alpine', action: 'run' }]]);
  });

  it('fails with the code of the docker tool', async () => {
    const error = { code: 'DEPENDENCY_MISSING', message: 'No engine.' };
    const context = fakeContext({ call: (async () => ({ success: false, error })) as never });
    await expect(run('context.platform.docker.ps()', context)).rejects.toThrow(
      'DEPENDENCY_MISSING: docker: No engine.',
    );
  });
});

describe('a tool that its definition switches off', () => {
  const off = { ...aTool({ name: 'off' }), enabled: false };
  const states = async (tools: object) => {
    const crib = await testCrib([off], { config: { tools } as never });
    const { status } = await crib.execute('off', {});
    const before = crib.tools.get('off')?.enabled;
    return { crib, status, before };
  };

  it('is listed as off and refused, until a person switches it on', async () => {
    const { crib, status, before } = await states({});
    expect([before, status]).toEqual([false, 'denied']);
    crib.tools.setEnabled('off', true);
    expect((await crib.execute('off', {})).success).toBe(true);
    await crib.close();
  });

  it('is on where the configuration says so, and off again when a person says that', async () => {
    const { crib, status, before } = await states({ off: { enabled: true } });
    expect([before, status]).toEqual([true, 'success']);
    crib.tools.setEnabled('off', false);
    expect((await crib.execute('off', {})).success).toBe(false);
    await crib.close();
  });

  it('hostile: another setting of the tool does not switch it on', async () => {
    const { crib, status } = await states({ off: { timeoutMs: 5000 } });
    expect(status).toBe('denied');
    await crib.close();
  });

  it('hostile: what the configuration switches off stays off', async () => {
    const { crib, status } = await states({ off: { enabled: false } });
    expect(status).toBe('denied');
    expect(() => crib.tools.setEnabled('off', true)).toThrow('switched off');
    await crib.close();
  });
});
