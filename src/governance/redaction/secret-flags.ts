/** Flags by which programs take secrets and whose names do not say so. Data only. */

/**
 * What a flag takes. `secret`: a secret. `pair`, `comma`, `percent`, `slash`: a user and a secret with
 * that mark between them. `cookie`: cookies, or the name of a file. `source`: `pass:` and a secret.
 */
export type FlagValue = 'secret' | 'pair' | 'comma' | 'percent' | 'slash' | 'cookie' | 'source';

export interface SecretFlag {
  readonly flags: readonly string[];
  readonly value: FlagValue;
  /** The value stands in the same word (`-pSECRET`), in the next one, or in either. */
  readonly place?: 'same' | 'next';
  /** Only after this word: `docker login -p` takes a password, `docker run -p` a port. */
  readonly after?: string;
}

const secret = (...flags: readonly string[]): SecretFlag => ({ flags, value: 'secret' });
const pair = (...flags: readonly string[]): SecretFlag => ({ flags, value: 'pair' });

const CURL = [
  pair('-u', '--user', '-U', '--proxy-user'),
  { flags: ['-b', '--cookie'], value: 'cookie' },
  secret('--pass', '--oauth2-bearer', '--proxy-pass', '--tlspassword', '--proxy-tlspassword'),
] as const;
const HTTPIE = [pair('-a', '--auth')] as const;
const MYSQL = [{ flags: ['-p'], value: 'secret', place: 'same' }] as const;
const MONGO = [secret('-p')] as const;
const LOGIN = [{ flags: ['-p'], value: 'secret', after: 'login' }] as const;
const LDAP = [secret('-w')] as const;
const ARCHIVE = [secret('-P')] as const;
const SEVEN_ZIP = [{ flags: ['-p'], value: 'secret', place: 'same' }] as const;
const SMB = [{ flags: ['-U', '--user'], value: 'percent' }] as const;
const MQTT = [secret('-P', '--pw')] as const;
const OPENSSL = [
  { flags: ['-passin', '-passout', '-pass'], value: 'source', place: 'next' },
  { flags: ['-k', '-K'], value: 'secret', place: 'next' },
] as const;
const KEYTOOL = [
  {
    flags: ['-storepass', '-keypass', '-srcstorepass', '-deststorepass', '-destkeypass'],
    value: 'secret',
    place: 'next',
  },
] as const;

/** After the name of a program even a word is a secret there; in prose only what is no word. */
const COMMON = secret(
  '--password',
  '--passwd',
  '--passphrase',
  '--http-password',
  '--ftp-password',
  '--proxy-password',
);

const forEach = (
  names: string,
  flags: readonly SecretFlag[],
): readonly (readonly [string, readonly SecretFlag[]])[] =>
  names.split(' ').map((name) => [name, [...flags, COMMON]] as const);

export const SECRET_FLAGS: ReadonlyMap<string, readonly SecretFlag[]> = new Map([
  ...forEach('wget aria2c svn gpg gpg2 psql pg_dump sqlplus rclone restic borg vncviewer', []),
  ...forEach('curl', CURL),
  ...forEach('http https xh', HTTPIE),
  ...forEach('mysql mysqldump mysqladmin mysqlimport mysqlsh mysqlshow mysqlcheck', MYSQL),
  ...forEach('mariadb mariadb-dump mariadb-admin mycli', MYSQL),
  ...forEach('mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat', MONGO),
  ...forEach('redis-cli valkey-cli keydb-cli', [secret('-a', '--pass')]),
  ...forEach('sshpass', [secret('-p')]),
  ...forEach('docker podman nerdctl buildah skopeo helm oras az oc cf crane', LOGIN),
  ...forEach('ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami', LDAP),
  ...forEach('zip unzip zipcloak', ARCHIVE),
  ...forEach('7z 7za 7zr rar unrar', SEVEN_ZIP),
  ...forEach('sqlcmd bcp isql tsql ipmitool', ARCHIVE),
  ...forEach('smbclient rpcclient smbget net', SMB),
  ...forEach('mosquitto_pub mosquitto_sub', MQTT),
  ...forEach('lftp', [{ flags: ['-u', '--user'], value: 'comma' }]),
  ...forEach('rdesktop cqlsh', [secret('-p')]),
  ...forEach('clickhouse-client influx impala-shell', [secret('-password', '--password')]),
  ...forEach('openssl', OPENSSL),
  ...forEach('keytool jarsigner', KEYTOOL),
]);
