/** Renders the table of error codes as the page docs/errors.md. Pure: table in, text out. */

const yes = (flag) => (flag ? 'yes' : 'no');

const rowOf = ([code, row]) =>
  `| \`${code}\` | ${row.type} | ${row.severity} | ${row.http} | ${row.rpc} | ${row.exit} | ${yes(row.retryable)} | ${yes(row.recoverable)} | ${row.sentence} |`;

/** @param {Record<string, import('../src/contract/errors.ts').ErrorRow>} table */
export const renderErrorsDoc = (table) => `# Error codes

Every refusal and every failure carries one of these codes. The table is closed: surfaces look their column up in
it, and nothing else decides what a code means. This page is written by \`npm run docs\` from
\`src/contract/errors.ts\`; a test fails when the two differ.

- **HTTP**, **RPC**, **exit**: what an HTTP server, a JSON-RPC server and the command line answer with. 401 stands
  in no row: the HTTP server says it about the sender of a request, whose token or session is not good.
- **retryable**: the same call, sent again a little later, stands a chance. Toolcrib itself retries only where no
  effect can have happened, or where the tool says that it is idempotent.
- **recoverable**: the caller can do something about it: correct the input, ask a person, wait.
- **sentence**: what a model may read. It holds no argument value, path or secret.

| code | type | severity | HTTP | RPC | exit | retryable | recoverable | sentence |
|---|---|---|---|---|---|---|---|---|
${Object.entries(table).map(rowOf).join('\n')}
`;
