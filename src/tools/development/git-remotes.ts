/** The remotes of a repository, with the addresses that git really uses. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Git } from './git-repository.ts';

export interface Remote {
  readonly name: string;
  /** Without credentials. */
  readonly fetchUrl: string;
  readonly pushUrl: string;
}

const LINE = /^([^\t]+)\t(.*) \((fetch|push)\)(?: \[[^\]]*\])?$/;

/** Removes credentials of the owner from an address. */
const withoutCredentials = (url: string): string => url.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');

/** Lists the remotes, after git has applied `url.<base>.insteadOf`. */
export const readRemotes = async (git: Git): Promise<readonly Remote[]> => {
  const remotes = new Map<string, { fetch: string[]; push: string[] }>();
  for (const line of (await git.run(['remote', '-v'])).split('\n')) {
    const [, name, url, direction] = LINE.exec(line) ?? [];
    if (name === undefined || url === undefined) continue;
    const urls = remotes.get(name) ?? { fetch: [], push: [] };
    urls[direction === 'push' ? 'push' : 'fetch'].push(withoutCredentials(url));
    remotes.set(name, urls);
  }
  return [...remotes].map(([name, { fetch, push }]) => ({
    name,
    fetchUrl: fetch.join(' '),
    pushUrl: push.join(' '),
  }));
};

const unusable = (url: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The address of the remote is not used: ${url}`, {
    suggestions: ['Have a person give the remote one https address.'],
  });

/** Finds the address of a remote. Fails for one that is not https, because git may run a program for it. */
export const remoteAddress = (
  remotes: readonly Remote[],
  name: string,
  direction: 'fetchUrl' | 'pushUrl',
): URL => {
  const remote = remotes.find((each) => each.name === name);
  if (!remote) {
    throw new ToolFailure('NOT_FOUND', `There is no remote ${name}.`, {
      suggestions: ['List the remotes with the operation remotes.'],
    });
  }
  const url = remote[direction];
  if (!URL.canParse(url) || /\s/.test(url)) throw unusable(url);
  const address = new URL(url);
  if (address.protocol !== 'https:') throw unusable(url);
  return address;
};
