/**
 * The program that connects the sandbox's loopback, where programs look for a proxy, with the socket of
 * the host, where the proxy is. It starts the real program with its own streams and ends with it. It
 * checks nothing: the proxy outside judges every request.
 */

const PORT = 3128;

/** Where the sandbox sees the socket. */
export const NETWORK_SOCKET = '/run/network.sock';

const RELAY = `
const { createServer, connect } = require('node:net');
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const [program, ...args] = process.argv.slice(1);
const end = (why) => {
  process.stderr.write('relay: ' + why + '\\n', () => process.exit(127));
};
const server = createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ path: '${NETWORK_SOCKET}', allowHalfOpen: true });
  near.on('error', () => far.destroy()).on('close', () => far.destroy()).pipe(far);
  far.on('error', () => near.destroy()).on('close', () => near.destroy()).pipe(near);
});
server.on('error', () => end('the port is taken'));
server.listen(${PORT}, '127.0.0.1', () => {
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', ({ code }) => {
    const why = code === 'EACCES' ? 'Permission denied' : 'No such file or directory';
    end('execvp ' + program + ': ' + why);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});
`;

/** Gives the command line that runs a program behind the relay. */
export const behindRelay = (node: string, argv: readonly string[]): readonly string[] => [
  ...[node, '--no-warnings', '--eval', RELAY, '--'],
  ...argv,
];

const PROXY = `http://127.0.0.1:${PORT}`;

/** The variables that programs read. No exceptions: not even localhost is reachable otherwise. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: '',
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  no_proxy: '',
  npm_config_proxy: PROXY,
  npm_config_https_proxy: PROXY,
  npm_config_noproxy: '',
  NODE_USE_ENV_PROXY: '1',
};
