/** The signing key: made once, kept private, refused when it is not; and signatures that only fit once. */
import { spawn } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { link } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileProgram } from '../../../test/conformance/compile-program.ts';
import { times } from '../../../test/conformance/store-samples.ts';
import {
  isMountedSecret,
  openNamedKey,
  openSigningKey,
  readSigningKey,
} from './open-signing-key.ts';
import { isPublicKey, verifySignature } from './verify-signature.ts';

/** `link` can be made to fail, as on file systems that have no links. */
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, link: vi.fn(real.link) };
});

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-key-'));
  file = join(folder, 'keys', 'signing.pem');
});
afterEach(() => {
  vi.restoreAllMocks();
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

const put = (text: string, mode = 0o600): void => {
  mkdirSync(join(folder, 'keys'));
  writeFileSync(file, text, { mode });
};

const refusal = (message: RegExp) => ({
  code: 'SECURITY_VIOLATION',
  message: expect.stringMatching(message),
  extras: { suggestions: [expect.stringMatching(/\w/)] },
});

describe('the signing key', () => {
  it('is made on first use, private, and the same one ever after', async () => {
    expect(await readSigningKey(file)).toBeUndefined();
    const key = await openSigningKey(file);
    expect([modeOf(file), modeOf(join(folder, 'keys'))]).toEqual([0o600, 0o700]);
    expect(readdirSync(join(folder, 'keys'))).toEqual(['signing.pem']);
    expect((await openSigningKey(file)).publicKey).toBe(key.publicKey);
    expect((await readSigningKey(file))?.publicKey).toBe(key.publicKey);
    expect(isPublicKey(key.publicKey)).toBe(true);
  });

  it('signs so that other programs can verify it', async () => {
    const { sign, publicKey } = await openSigningKey(file);
    const pem = createPublicKey(createPrivateKey(readFileSync(file, 'utf8')));
    expect(pem.export({ format: 'jwk' }).x).toBe(
      Buffer.from(publicKey, 'base64').toString('base64url'),
    );
    expect(verify(null, Buffer.from('text'), pem, Buffer.from(sign('text'), 'base64'))).toBe(true);
  });

  it('is one key for those that make it at once', async () => {
    const keys = await Promise.all(times(20, () => openSigningKey(file)));
    expect(new Set(keys.map(({ publicKey }) => publicKey)).size).toBe(1);
    expect(readdirSync(join(folder, 'keys'))).toEqual(['signing.pem']);
  });

  it('is one key for processes that make it at once', async () => {
    const entry = join(import.meta.dirname, 'open-signing-key.ts');
    const { folder: built, program } = compileProgram(entry);
    const code = `const { openSigningKey } = await import(${JSON.stringify(program)});
      console.log((await openSigningKey(${JSON.stringify(file)})).publicKey);`;
    const one = async (): Promise<string> => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += String(chunk);
      });
      await once(child, 'close');
      return text;
    };
    const said = await Promise.all(times(4, one));
    expect(new Set(said).size).toBe(1);
    expect(said[0]?.trim()).toBe((await openSigningKey(file)).publicKey);
    rmSync(built, { recursive: true });
  });

  it('is not followed through a link', async () => {
    const real = join(folder, 'real.pem');
    await openSigningKey(real);
    mkdirSync(join(folder, 'keys'));
    symlinkSync(real, file);
    await expect(openSigningKey(file)).rejects.toMatchObject(refusal(/is a link/));
    rmSync(real);
    await expect(openSigningKey(file)).rejects.toMatchObject(refusal(/is a link/));
  });

  it('is followed through a link where a person names the file, as mounted secrets are', async () => {
    const real = join(folder, 'real.pem');
    const key = await openSigningKey(real);
    const named = join(folder, 'named.pem');
    symlinkSync(real, named);
    expect((await openNamedKey(named)).publicKey).toBe(key.publicKey);
    chmodSync(real, 0o644);
    await expect(openNamedKey(named)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/named\.pem.*by others/),
      extras: { suggestions: [expect.stringContaining('chmod 600')] },
    });
    writeFileSync(real, 'a secret');
    chmodSync(real, 0o600);
    const unreadable = openNamedKey(named);
    await expect(unreadable).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(unreadable).rejects.not.toThrow(/a secret/);
  });

  it('is not made where a person names a file that is missing', async () => {
    const missing = openNamedKey(file);
    await expect(missing).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(file),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    [0, 0o100440, true],
    [0, 0o100400, true],
    [0, 0o100444, false],
    [0, 0o100460, false],
    [1000, 0o100440, false],
  ])('of user %d with mode %o is a mounted secret: %s', (uid, mode, expected) => {
    expect(isMountedSecret({ uid, mode })).toBe(expected);
  });

  it.each([0o640, 0o604, 0o620, 0o666, 0o601])('is refused with mode %o', async (mode) => {
    await openSigningKey(file);
    chmodSync(file, mode);
    await expect(openSigningKey(file)).rejects.toMatchObject(refusal(/by others/));
    chmodSync(file, 0o600);
    expect(await openSigningKey(file)).toBeDefined();
  });

  it('is refused when it belongs to another user', async () => {
    await openSigningKey(file);
    vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1);
    await expect(openSigningKey(file)).rejects.toMatchObject(refusal(/another user/));
  });

  it('is accepted without a check of its owner where files have no numeric owner', async () => {
    await openSigningKey(file);
    chmodSync(file, 0o666);
    vi.spyOn(process, 'getuid').mockReturnValue(undefined as never);
    expect(await openSigningKey(file)).toBeDefined();
  });

  const rsa = (): string =>
    generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
      format: 'pem',
      type: 'pkcs8',
    }) as string;

  it.each([
    ['nothing', '', /cannot be read/],
    ['text', 'a secret', /cannot be read/],
    ['a key of another kind', rsa(), /cannot be read/],
    ['too much', 'x'.repeat(5000), /is not a key file/],
  ])('is refused when the file holds %s, and kept out of the message', async (_, text, message) => {
    put(text);
    const opening = openSigningKey(file);
    await expect(opening).rejects.toMatchObject(refusal(message));
    await expect(opening).rejects.not.toThrow(/a secret/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is refused when a folder lies in its place, or a file in that of its folder', async () => {
    mkdirSync(file, { recursive: true });
    await expect(openSigningKey(file)).rejects.toMatchObject(refusal(/is not a key file/));
    const below = join(folder, 'plain', 'signing.pem');
    writeFileSync(join(folder, 'plain'), '');
    await expect(openSigningKey(below)).rejects.toMatchObject(refusal(/cannot be opened/));
  });

  it('fails with a reason when it cannot be created', async () => {
    symlinkSync(join(folder, 'nowhere'), join(folder, 'keys'));
    await expect(openSigningKey(file)).rejects.toMatchObject(refusal(/cannot be made/));
    vi.mocked(link).mockRejectedValueOnce(Object.assign(new Error(), { code: 'EPERM' }));
    const unlinked = join(folder, 'unlinked', 'signing.pem');
    await expect(openSigningKey(unlinked)).rejects.toMatchObject(refusal(/cannot be made/));
    expect(readdirSync(join(folder, 'unlinked'))).toEqual([]);
  });
});

describe('a signature', () => {
  it('fits its text and key and no other', async () => {
    const key = await openSigningKey(file);
    const other = await openSigningKey(join(folder, 'other.pem'));
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (text, wrong) => {
          const signature = key.sign(text);
          const signed = { publicKey: key.publicKey, text, signature };
          expect(verifySignature(signed)).toBe(true);
          expect(verifySignature({ ...signed, publicKey: other.publicKey })).toBe(false);
          if (wrong !== text) expect(verifySignature({ ...signed, text: wrong })).toBe(false);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('has one spelling, and garbage is no signature', async () => {
    const key = await openSigningKey(file);
    const signature = key.sign('text');
    const good = { publicKey: key.publicKey, text: 'text', signature };
    const garbage = [
      '',
      ' ',
      'AAAA',
      '!'.repeat(88),
      `${signature}\n`,
      ` ${signature}`,
      `${signature}AAAA`,
    ];
    for (const bad of [...garbage, signature.replace(/=+$/, ''), null, 7, {}] as string[]) {
      expect(verifySignature({ ...good, signature: bad })).toBe(false);
      expect(verifySignature({ ...good, publicKey: bad })).toBe(false);
      expect(isPublicKey(bad)).toBe(false);
    }
    const flipped = Buffer.from(signature, 'base64');
    for (const at of [0, 31, 32, 63]) {
      const copy = Buffer.from(flipped);
      copy[at] = (copy[at] ?? 0) ^ 1;
      expect(verifySignature({ ...good, signature: copy.toString('base64') })).toBe(false);
    }
    expect(verifySignature({ ...good, publicKey: Buffer.alloc(32, 255).toString('base64') })).toBe(
      false,
    );
  });
});
