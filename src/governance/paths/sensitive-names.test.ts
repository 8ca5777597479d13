/** Threat "Paths": names that hold secrets or that programs trust, spelled every way they can be. */
import { describe, expect, it } from 'vitest';
import { protectedRule, sensitiveRule } from './sensitive-names.ts';

const rule = (path: string, isFolder = false): string | undefined =>
  sensitiveRule({ above: ['home', 'ann', 'project'], below: path.split('/'), isFolder });

describe('secret names', () => {
  it.each([
    '.env',
    '.env.local',
    '.env~',
    'env.prod',
    'env.production',
    'infra/prod.tfvars',
    'terraform.tfstate',
    'kubeconfig',
    'token.json',
    'auth.json',
    'vault.yml',
    'rclone.conf',
    'wallet.dat',
    'logins.json',
    'gcp-key.json',
    '.env.production',
    '.env-prod',
    'prod.env',
    'a/b/.env',
    '.envrc',
    'id_rsa',
    'id_rsa.pub',
    'id_ed25519',
    'keys/server.pem',
    'server.key',
    'cert.p12',
    'cert.pfx',
    '.ssh',
    '.ssh/config',
    'backup/.ssh/known_hosts',
    '.aws/credentials',
    '.aws/config',
    '.gnupg/pubring.kbx',
    '.netrc',
    '.npmrc',
    '.pypirc',
    '.docker/config.json',
    '.kube/config',
    'credentials',
    'credentials.json',
    'credentials.bak',
    'credentials_old',
    'credentials/prod.json',
    'application_default_credentials.json',
    '.git-credentials',
    'login.keychain',
    'login.keychain-db',
    'secrets.yml',
    '.toolcrib/secrets.json',
    '.toolcrib/toolcrib.db',
    '.toolcrib/toolcrib.db-wal',
    'passwords.txt',
    'Passwords.csv',
    'my-passwords',
    'db_password.txt',
    'private_key',
    'private_key.txt',
    'private-key.asc',
    'app.privatekey.json',
    'client_secret.json',
    'clientSecret.json',
    'secret.txt',
    'mysecret',
    'config/secrets.ini',
    'k8s/secret.yaml',
    'passwd',
    'stripe_api_key.txt',
    'apikeys.json',
    'secrets/prod.txt',
    'secrets/deep/db.json',
    'config/secrets/db',
    '.secrets/token',
    'private_keys/server',
    'deploy/private-keys/a.txt',
    'passwords/all.csv',
    'src/secrets/prod.json',
    'SECRETS/a.yaml',
    'secrets\\a.yaml',
    'shadow',
    'etc/shadow',
    'shadow-',
    'backup/shadow.bak',
    'gshadow',
    'master.passwd',
    'krb5.keytab',
    'client.ovpn',
    '.vault_pass',
  ])('closes %s', (path) => {
    expect(rule(path)).toBeDefined();
  });

  it.each([
    '.ENV',
    '.Env.Local',
    'ID_RSA',
    'Server.PEM',
    '.SSH/config',
    '.ſsh/config',
    '.\u212aube/config',
    '.e\u200bnv',
    '．env',
    '.env.',
    '.env ',
    '.env::$DATA',
    '.aws\\credentials',
    'sub\\.env',
  ])('closes the variant %j', (path) => {
    expect(rule(path)).toBeDefined();
  });

  it.each([
    '.env.example',
    '.env.sample',
    '.env.template',
    '.env.production.example',
    'environment.ts',
    '.environment',
    'src/credentials.ts',
    'src/credentials/index.ts',
    'docs/credentials.md',
    'credentials.example',
    'keyboard.ts',
    'monkey.txt',
    'src/pem.ts',
    'ssh.md',
    'ssh/notes.md',
    'aws.ts',
    'docker/config.json',
    'config.json',
    'kube.config',
    '.toolcrib/config.yml',
    '.toolcrib/tools/hello.yml',
    '.gitignore',
    'secrets.md',
    'README.md',
    'package.json',
    'src/secret-santa.ts',
    'data/secret-santa.json',
    'src/passwords.test.ts',
    'src/password-reset.tsx',
    'docs/forgot-password.png',
    'migrations/004_add_password.sql',
    'scripts/rotate-secrets.sh',
    'staff/secretary.txt',
    'locales/en/passwords.json',
    'chart/templates/secret.yaml',
    '.github/workflows/secret-scan.yml',
    'infra/secrets.tf',
    'src/secrets/index.ts',
    'src/secrets/store/open-store.py',
    'internal/secrets/README.md',
    'chart/templates/secrets/db.yaml',
    'locales/de/secrets/page.json',
    'secretsanta/list.txt',
    'src/shadow/index.json',
    'src/shadow.ts',
    'shadow.css',
    'shadows.txt',
    'assets/drop-shadow.json',
    'keytab.md',
  ])('leaves %s open', (path) => {
    expect(rule(path)).toBeUndefined();
  });

  it('lets a folder called credentials be listed', () => {
    expect(rule('src/secrets', true)).toBeUndefined();
    expect(rule('src/credentials', true)).toBeUndefined();
    expect(rule('.ssh', true)).toBe('.ssh');
  });

  it('wins over a root that is, or lies in, a secret folder', () => {
    const above = ['home', 'ann', '.aws'];
    expect(sensitiveRule({ above, below: ['notes.txt'], isFolder: false })).toBe('.aws');
    expect(sensitiveRule({ above, below: [], isFolder: true })).toBe('.aws');
  });

  it('judges other names below the root only', () => {
    const above = ['srv', 'credentials-service', 'app.key'];
    expect(sensitiveRule({ above, below: ['index.js'], isFolder: false })).toBeUndefined();
    expect(
      sensitiveRule({ above: ['home', '.docker'], below: ['config.json'], isFolder: false }),
    ).toBe('.docker/config.json');
  });
});

describe('names protected from writing', () => {
  const kept = (path: string, more?: readonly string[]) => protectedRule(path.split('/'), more);

  it.each([
    '.toolcrib/config.yml',
    '.toolcrib',
    '.git/hooks/pre-commit',
    '.git/config',
    '.git',
    'vendor/lib/.git/hooks/post-checkout',
    '.GIT/config',
    '.g\u200cit/config',
    '.git./config',
    '.bashrc',
    '.zshrc',
    '.profile',
    '.config/fish/config.fish',
    '.toolcrib-tmp-0123',
    'GIT~1/config',
    'toolcr~1',
    '.config/systemd/user/a.service',
    'Library/LaunchAgents/a.plist',
    '.gdbinit',
    '.mcp.json',
    'sub/.mcp.json',
    '.vscode/tasks.json',
    'packages/a/.vscode/settings.json',
    '.cursor/mcp.json',
    '.cursorrules',
    '.claude/settings.json',
    'CLAUDE.md',
    'AGENTS.md',
    'docs/GEMINI.md',
    '.codex/config.toml',
    '.gemini/settings.json',
    'opencode.json',
    '.opencode/agent/x.md',
    '.windsurfrules',
    '.github/workflows/ci.yml',
    '.github/copilot-instructions.md',
    '.gitlab-ci.yml',
    '.husky/pre-commit',
    '.pre-commit-config.yaml',
    '.devcontainer/devcontainer.json',
    '.idea/workspace.xml',
    '.gitmodules',
    '.cargo/config.toml',
    '.yarnrc.yml',
    '.copilot/mcp-config.json',
    'mcp-config.json',
    'cline_mcp_settings.json',
    '.tool-versions',
    '.direnv/bin/x',
    '.direnvrc',
    '.gitattributes',
    'sub/.gitattributes',
    '.lfsconfig',
    '.mise.toml',
    '.mise.local.toml',
    '.mise/tasks/build',
    'mise.toml',
    'mise.production.toml',
    '.config/mise/config.toml',
    'lefthook.yml',
    'lefthook-local.yml',
    'lefthook.toml',
    '.pre-commit-config.yml',
    '.pre-commit-hooks.yaml',
    '.simple-git-hooks.json',
    '.lintstagedrc',
    '.huskyrc',
    '.git-hooks/pre-push',
    '.github/hooks/x.json',
    '.agents/skills/x/SKILL.md',
    '.replit',
    '.psqlrc',
    '.sqliterc',
    '.Rprofile',
    'sitecustomize.py',
    '.pnp.cjs',
    '.mvn/jvm.config',
    'gradle/wrapper/gradle-wrapper.properties',
    'azure-pipelines-release.yml',
  ])('keeps %j', (path) => {
    expect(kept(path)).toBeDefined();
  });

  it.each([
    '.gitignore',
    '.github/ISSUE_TEMPLATE.md',
    '.github/dependabot.yml',
    'docs/agents-guide.md',
    'src/claude.ts',
    'vscode/readme.md',
    'package.json',
    'Makefile',
    'git/x',
    'bashrc',
    'a.profile',
    'src/mise.ts',
    'docs/lefthook.md',
    'tool-versions.json',
    'src/gitattributes.ts',
    'gradle/libs.versions.toml',
    'build.gradle',
    'src/run/index.ts',
    'src/agents/index.ts',
    '.nvmrc',
    '.editorconfig',
    '.prettierrc',
    'customize.py',
  ])('leaves %s writable', (path) => {
    expect(kept(path)).toBeUndefined();
  });

  it('takes more names, with stars and folders', () => {
    const more = ['.House', 'deploy/*.yml', 'a*b*c'];
    expect(kept('.house/rules', more)).toBe('.house');
    expect(kept('x/deploy/prod.yml', more)).toBe('deploy/*.yml');
    expect(kept('deploy/prod.json', more)).toBeUndefined();
    expect(kept('aXXbYYc', more)).toBe('a*b*c');
    expect(kept('aXXc', more)).toBeUndefined();
    expect(kept('abXX', more)).toBeUndefined();
  });
});
