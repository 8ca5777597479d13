import { describe, expect, it } from 'vitest';
import { plainData } from '../plain-data.ts';
import { REDACTED, Redactor } from './redaction.ts';

const redactor = new Redactor();
const both = (value: unknown): string =>
  JSON.stringify([plainData(value, redactor).data, redactor.record(value)]);

describe('threat: a secret in the arguments of a program is shown', () => {
  const commands: readonly string[] = [
    'curl -u bob:@ https://x.example',
    'curl -ubob:@ https://x.example',
    'curl -sSu "bob:@" https://x.example',
    'curl --user bob:@ https://x.example',
    'curl --proxy-user=bob:@ https://x.example',
    '/usr/bin/curl -u bob:@ https://x.example',
    'curl -b sid=@ https://x.example',
    'curl --cookie "sid=@; theme=dark" https://x.example',
    'curl -H "Authorization: Basic @" https://x.example',
    "curl -H 'X-Auth: @' https://x.example",
    'curl \\\n  -u bob:@ \\\n  https://x.example',
    'mysql -uroot -p@ shop',
    "mysql -u root -p'@' shop",
    'mysqldump --password=@ shop',
    'psql postgres://app:@@db/shop',
    'PGPASSWORD=@ psql -h db',
    'redis-cli -h db -a @ ping',
    'redis-cli --pass @ ping',
    'sshpass -p @ ssh host',
    'sshpass -p@ ssh host',
    'sudo docker login -u bob -p @ registry.example',
    'docker login --password @ registry.example',
    'mongo -u bob -p @ shop',
    'mongosh --password @ shop',
    'wget --user=bob --password=@ https://x.example',
    'wget --http-password @ https://x.example',
    'openssl rsa -passin pass:@ -in id.pem',
    'openssl enc -aes-256-cbc -k @ -in x',
    'ldapsearch -D cn=bob -w @ -b dc=x',
    'smbclient //host/share -U bob%@',
    'keytool -list -storepass @',
    'echo start && redis-cli -a @ ping; echo done',
    'ssh host "mysql -p@ shop"',
  ];

  it.each(commands)('%s', (command) => {
    for (const secret of ['Tr0ub4dor', 'correcthorse']) {
      const text = command.replace('@', secret);
      for (const value of [text, { command: text }, JSON.stringify({ command: text })]) {
        expect(both(value)).not.toContain(secret);
        expect(both(value)).toContain(REDACTED);
      }
    }
  });

  it.each([
    [['curl', '-u', 'bob:Tr0ub4dor', 'https://x.example']],
    [['sudo', 'docker', 'login', '-p', 'Tr0ub4dor']],
    [['/usr/bin/mysql', '-uroot', '-pTr0ub4dor']],
    [{ command: 'redis-cli', args: ['-a', 'Tr0ub4dor', 'ping'] }],
    [{ program: 'C:\\bin\\curl.exe', arguments: ['--user', 'bob:Tr0ub4dor'] }],
  ])('arguments in a list: %j', (value) => {
    expect(both(value)).not.toContain('Tr0ub4dor');
    expect(both(value)).toContain(REDACTED);
  });

  it.each([
    'docker run -p 8080:80 nginx',
    'docker compose -p shop up -d',
    'ssh -p 22 host',
    'mkdir -p a/b/c',
    'mysql -p shop',
    'redis-cli -p 6379 ping',
    'curl -u $USER:$PASS https://x.example',
    'curl -u user:password https://x.example',
    'curl -u "<user>:<password>" https://x.example',
    'curl -b cookies.txt -o out https://x.example',
    'unzip -p file.zip',
    'openssl x509 -in c.pem -noout',
    'Use curl - it is there - and http -a to sign in.',
    'a - b, 3 -4, --verbose',
  ])('stays: %s', (command) => {
    expect(redactor.text(command)).toBe(command);
    const args = command.split(' ');
    expect(redactor.record(args)).toEqual(args);
    expect(plainData(args, redactor).data).toEqual(args);
  });
});

describe('threat: a token that is broken into two lines is shown', () => {
  const token = 'ghp_aB3dE6gH9kL2nO5qR8tU1wX4zA7cD0fG3iJ6';

  it.each(['\n', '\r\n', '\n    ', '\\\n', '\\\r\n  '])('at %j', (lineBreak) => {
    for (const at of [12, 20, 38]) {
      const text = `x ${token.slice(0, at)}${lineBreak}${token.slice(at)}\nnext line`;
      expect(redactor.text(text)).toBe(`x ${REDACTED}\nnext line`);
    }
    const header = `Authorization: Bearer abc123def456${lineBreak}ghi789jkl012\nnext: line`;
    expect(redactor.text(header)).not.toContain('ghi789');
  });

  it.each(['sk-\nfolding', 'AKIA\nABCDEFGHIJKLMNOP', 'npm_\nconfig_registry1', 'key-\n- item 1'])(
    'stays: %j',
    (text) => {
      expect(redactor.text(text)).toBe(text);
    },
  );

  it('what follows a whole token in the next line stays', () => {
    const text = `${token}\nnext line of 2 words\nabc123: 4`;
    expect(redactor.text(text)).toBe(text.replace(token, REDACTED));
  });
});
