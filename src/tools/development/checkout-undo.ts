/** Stores the files that a checkout overwrites, and restores them when the call is undone. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { lazy } from '../../kit/data/lazy.ts';

/** The limit for all files of one checkout. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

type Files = Pick<ToolContext, 'fs'>;
type UndoContext = Pick<ToolContext, 'fs' | 'keepForUndo' | 'warn'>;

/** `null` means that the file did not, or does not, exist. */
const undoFile = z.strictObject({
  path: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
const undoData = lazy(() => z.strictObject({ files: z.array(undoFile).min(1) }));

type Before = ReadonlyMap<string, Uint8Array | undefined>;

const contentOf = async (path: string, { fs }: Files): Promise<Uint8Array | undefined> =>
  (await fs.stat(path)) === undefined ? undefined : fs.read(path);

const hashOf = (bytes: Uint8Array | undefined): string | null =>
  bytes === undefined ? null : sha256Hex(bytes);

/** Reads the files before they change. Leaves out those that no tool may write. */
const readAll = async (paths: readonly string[], context: UndoContext): Promise<Before> => {
  const before = new Map<string, Uint8Array | undefined>();
  let total = 0;
  for (const path of paths) {
    try {
      await context.fs.resolve(path, 'write');
      const bytes = await contentOf(path, context);
      total += bytes?.length ?? 0;
      if (total > MAX_KEPT_BYTES) break;
      before.set(path, bytes);
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
    }
  }
  return before;
};

/** Checks out files and stores what undo needs to restore their content. */
export const checkoutKeeping = async (
  paths: readonly string[],
  context: UndoContext,
  checkout: () => Promise<unknown>,
): Promise<void> => {
  const before = await readAll(paths, context);
  if (before.size < paths.length) {
    const left = paths.length - before.size;
    context.warn(
      `Undo will not bring back ${left} of ${paths.length} files: protected or too large.`,
    );
  }
  await checkout();
  const files = [];
  for (const [path, bytes] of before) {
    const after = hashOf(await contentOf(path, context));
    if (after === hashOf(bytes)) continue;
    const text = bytes === undefined ? null : Buffer.from(bytes).toString('base64');
    files.push({ path, before: text, after });
  }
  context.keepForUndo(files.length > 0 ? { files } : null);
};

/** Restores the files. Fails with CONFLICT, and changes nothing, when one has changed since. */
export const undoCheckout = async (data: unknown, context: Files): Promise<void> => {
  const parsed = undoData().safeParse(data);
  if (!parsed.success) throw new ToolFailure('CONFLICT', 'The call left nothing to undo.');
  const { files } = parsed.data;
  for (const { path, after } of files) {
    if (hashOf(await contentOf(path, context)) === after) continue;
    throw new ToolFailure('CONFLICT', 'A file was changed after the call; nothing was undone.', {
      suggestions: ['Compare the files by hand: taking the call back would lose that change.'],
    });
  }
  for (const { path, before } of files) {
    if (before === null) await context.fs.remove(path);
    else await context.fs.write(path, Buffer.from(before, 'base64'), { createDirs: true });
  }
};
