import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../test/fixtures/local-site.ts';
import { judgeUrl, resolveTarget } from './judge-url.ts';
import { createPrivateAllowlist } from './private-allowlist.ts';

describe('judgeUrl', () => {
  const judge = (url: string | URL, allowPrivate?: string[]) =>
    judgeUrl(url, ['*'], allowPrivate && { allowPrivate });

  it('says yes with the URL to ask for and its target', () => {
    const verdict = judge(new URL('HTTPS://API.example.com./x?y#z'));
    expect(verdict).toMatchObject({ allowed: true, target: 'api.example.com:443' });
    expect(verdict.allowed && verdict.url.href).toBe('https://api.example.com/x?y#z');
  });

  it('refuses with a code, a reason and what to do', () => {
    expect(judge('http://10.0.0.1/')).toEqual({
      allowed: false,
      code: 'PERMISSION_DENIED',
      reason: 'it leads to an address that is private',
      suggestion: 'If this is meant, name the host or its network in egress.allowPrivate.',
    });
    expect(judge('http://169.254.169.254/')).toMatchObject({ code: 'SECURITY_VIOLATION' });
    expect(judge('http://metadata.google.internal/')).toMatchObject({ code: 'SECURITY_VIOLATION' });
    expect(judge('http://[/')).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(judge('http://a..b/')).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(judge('file:///etc/passwd')).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('never repeats the URL', () => {
    const verdict = judgeUrl('http://s3cret.example/s3cret', []);
    expect(JSON.stringify(verdict)).not.toContain('s3cret');
  });

  it('goes by the configuration, never for metadata', () => {
    expect(judge('http://10.0.0.1/', ['10.0.0.0/8'])).toMatchObject({ allowed: true });
    expect(judge('http://[fd00::5]:81/', ['fd00::5'])).toMatchObject({ target: '[fd00::5]:81' });
    expect(judge('http://[::ffff:10.0.0.1]/', ['10.0.0.1'])).toMatchObject({ allowed: true });
    expect(judge('http://[64:ff9b::10.0.0.1]/', ['10.0.0.1'])).toMatchObject({ allowed: false });
    expect(judge('http://10.0.0.1/', ['fd00::/8', '10.0.0.1:81'])).toMatchObject({
      allowed: false,
    });
    expect(judge('http://169.254.169.254/', ['0.0.0.0/0'])).toMatchObject({ allowed: false });
  });
});

describe('a refused URL', () => {
  it('has a reason: no valid host, or a host that was not declared', () => {
    expect(judgeUrl('https://a.example/', ['a.example'])).toMatchObject({ allowed: true });
    expect(judgeUrl('https://a..example/', ['*'])).toMatchObject({
      reason: expect.stringMatching(/valid host/),
    });
    expect(judgeUrl('https://1.1.1.1/', ['a.example'])).toMatchObject({
      reason: expect.stringMatching(/address is not among/),
    });
  });
});

describe('resolveTarget', () => {
  it.each([
    ['https://Api.Example.com./x', 'api.example.com:443'],
    ['http://0x7f.1/', '127.0.0.1:80'],
    ['http://[::FFFF:127.0.0.1]:8080/', '[::ffff:7f00:1]:8080'],
    ['https://例え.jp:8443/', 'xn--r8jz45g.jp:8443'],
  ])('%s is %s', (url, target) => expect(resolveTarget(url)).toBe(target));

  it.each(['x', 'file:///x', 'http://u:p@a.example/', 'http://a..b/', 'http://a.example:25/'])(
    '%s is refused as a target',
    (url) => expect(resolveTarget(url)).toBeUndefined(),
  );
});

describe('allowPrivate', () => {
  it.each([
    '',
    '*',
    '*:80',
    '10/8',
    '010.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '/8',
    'a.example/8',
    '10.0.0.0/8/8',
    '10.0.0.0/ 8',
    'http://a.example',
    '::1/129',
    'a b',
  ])('refuses to start with the entry %j', async (entry) => {
    const making = (async () => createPrivateAllowlist(['10.0.0.0/8', entry]))();
    expect(await codeOf(making)).toBe('CONFIG_INVALID');
  });

  it('opens nothing for what is no address', () => {
    const allows = createPrivateAllowlist(['a.example', '0.0.0.0/0', '::/0']);
    expect(allows({ host: 'a.example', port: 80 }, 'x')).toBe(false);
    expect(allows({ host: 'a.example', port: 80 }, '10.0.0.1')).toBe(true);
  });
});
