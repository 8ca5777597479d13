/** Generated spellings and addresses, held against a list of blocked ranges kept apart from ours. */
import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  codeOf,
  type Guarded,
  guarded,
  type LocalSite,
  openSite,
  type Watch,
  watchConnections,
} from '../../../test/fixtures/local-site.ts';
import { createAddressJudge } from './address-judge.ts';

const BLOCKED_4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32';
const BLOCKED_6 =
  '::/96 ::ffff:0:0:0/96 100::/64 64:ff9b:1::/48 2001:2::/48 2001:db8::/32 3fff::/20 fc00::/7 fe80::/10 fec0::/10 ff00::/8 4000::/2 8000::/2 5f00::/16';

const rows = (text: string) =>
  text.split(' ').map((row): [string, number] => {
    const [base = '', bits] = row.split('/');
    return [base, Number(bits)];
  });

const blocked = new BlockList();
for (const [base, bits] of rows(BLOCKED_4)) blocked.addSubnet(base, bits, 'ipv4');
for (const [base, bits] of rows(BLOCKED_6)) blocked.addSubnet(base, bits, 'ipv6');

const quad = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const dotted = (value: number): string => quad(value).join('.');
const hex = (value: number): string => value.toString(16);
const groups = (value: number): string => `${hex(value >>> 16)}:${hex(value & 0xffff)}`;

/** An address of version 4 within one of the blocked ranges. */
const blockedAddress = fc
  .tuple(fc.constantFrom(...rows(BLOCKED_4)), fc.nat(0xffff_ffff))
  .map(([[base, bits], noise]) => {
    const start = base.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    const mask = bits === 32 ? 0 : 0xffff_ffff >>> bits;
    return (start | (noise & mask)) >>> 0;
  });

const number = (value: number): fc.Arbitrary<string> =>
  fc.constantFrom(
    String(value),
    `0x${hex(value)}`,
    `0X${hex(value).toUpperCase()}`,
    `0x00${hex(value)}`,
    `0${value.toString(8)}`,
    `000${value.toString(8)}`,
  );

const shortForms = (value: number): fc.Arbitrary<string> => {
  const [a = 0, b = 0, c = 0, d = 0] = quad(value);
  const split = fc.constantFrom(
    [value],
    [a, value & 0xff_ffff],
    [a, b, value & 0xffff],
    [a, b, c, d],
  );
  return split.chain((parts) => fc.tuple(...parts.map(number)).map((texts) => texts.join('.')));
};

const carried = (value: number): fc.Arbitrary<string> => {
  const inverted = ~value >>> 0;
  return fc.constantFrom(
    `[::ffff:${dotted(value)}]`,
    `[0:0:0:0:0:FFFF:${groups(value)}]`,
    `[::${groups(value)}]`,
    `[::ffff:0:${groups(value)}]`,
    `[64:ff9b::${groups(value)}]`,
    `[64:ff9b:1::${groups(value)}]`,
    `[2002:${groups(value)}::1]`,
    `[2001:0:${groups(value)}::808:808]`,
    `[2001:0:808:808:0:0:${groups(inverted)}]`,
    `[2606:4700::5efe:${dotted(value)}]`,
  );
};

const disguise = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('plain', 'wide', 'percent'), {
      minLength: text.length,
      maxLength: text.length,
    })
    .map((ways) =>
      [...text]
        .map((sign, index) => {
          const code = sign.charCodeAt(0);
          if (ways[index] === 'wide') return String.fromCharCode(code + 0xfee0);
          return ways[index] === 'percent' ? `%${hex(code)}` : sign;
        })
        .join(''),
    );

const spelling = blockedAddress.chain((value) =>
  fc.oneof(
    shortForms(value),
    shortForms(value).chain(disguise),
    shortForms(value).map((text) => `${text}.`),
    carried(value),
  ),
);

describe('generated', () => {
  let canary: LocalSite;
  let watch: Watch;
  let guard: Guarded;

  beforeAll(async () => {
    canary = await openSite();
    watch = watchConnections();
    guard = guarded({ zone: { 'rebind.example': ['127.0.0.1'] } });
  });

  afterAll(async () => {
    watch.stop();
    await guard.egress.close();
    await canary.close();
  });

  it('spellings of blocked addresses never open a socket', async () => {
    await fc.assert(
      fc.asyncProperty(spelling, fc.constantFrom('http', 'https'), async (host, scheme) => {
        const code = await codeOf(guard.get(`${scheme}://${host}:${canary.port}/`));
        expect(['PERMISSION_DENIED', 'SECURITY_VIOLATION', 'VALIDATION_ERROR']).toContain(code);
      }),
      { numRuns: 3000 },
    );
    expect(watch.attempts).toEqual([]);
    expect(canary.sockets()).toBe(0);
  });

  it('answers with a blocked address among them never open a socket', async () => {
    const asText = blockedAddress.chain((value) =>
      fc.oneof(
        fc.constant(dotted(value)),
        carried(value).map((text) => text.slice(1, -1)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(asText, fc.array(fc.ipV4()), fc.nat(5), async (bad, others, place) => {
        const answers = [...others];
        answers.splice(place, 0, bad);
        const one = guarded({ zone: { 'rebind.example': [answers] } });
        const code = await codeOf(one.get(`http://rebind.example:${canary.port}/`));
        await one.egress.close();
        expect(['PERMISSION_DENIED', 'SECURITY_VIOLATION']).toContain(code);
      }),
      { numRuns: 500 },
    );
    expect(watch.attempts).toEqual([]);
  });

  it('no address is called public that the other list blocks', () => {
    const judge = createAddressJudge();
    const any = fc.oneof(fc.ipV4(), fc.ipV6(), blockedAddress.map(dotted));
    fc.assert(
      fc.property(any, (address) => {
        const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
        if (blocked.check(address, family)) expect(judge(address).kind).not.toBe('public');
      }),
      { numRuns: 20_000 },
    );
  });

  it('addresses of ordinary ranges are called public', () => {
    const judge = createAddressJudge();
    const ordinary = fc
      .tuple(fc.constantFrom(8, 23, 52, 93, 104, 142, 151, 185, 209), fc.nat(0xff_ffff))
      .map(([first, rest]) => dotted(((first << 24) | rest) >>> 0));
    fc.assert(
      fc.property(ordinary, (address) => {
        expect(judge(address).kind).toBe('public');
      }),
      { numRuns: 2000 },
    );
  });
});
