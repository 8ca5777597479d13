/** The remotes of a repository, by the addresses that git will really use. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Git } from './git-repository.ts';

export interface Remote {
  readonly name: string;
  /** Without credentials. */
  readonly fetchUrl: string;
  readonly pushUrl: string;
}

const LINE = /^([^\t]+)\t(.*) \((fetch|push)\)(?: \[[^\]]*\])?$/;

/** An address may hold a credential of the owner. */
const withoutCredentials = (url: string): string => url.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');

/** Lists the remotes. Git has replaced what `url.<base>.insteadOf` replaces by then. */
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

/** The address of a remote. Fails for one that is no https address, which could run a program. */
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
