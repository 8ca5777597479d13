/** Patterns of commands that only look, for an allowlist to start from. None of them is on by itself. */
export const READ_ONLY_COMMANDS: readonly string[] = [
  ...['ls *', 'cat *', 'head *', 'tail *', 'wc *', 'nl *', 'tac *', 'stat *', 'file *', 'du *'],
  ...['tree *', 'pwd *', 'cd *', 'realpath *', 'readlink *', 'basename *', 'dirname *', 'diff *'],
  ...['cmp *', 'comm *', 'md5sum *', 'sha256sum *', 'date *', 'which *', 'uname *', 'whoami'],
  ...['echo *', 'printf *', 'true', 'false', ':', 'test *', '[ *', 'exit *', 'seq *', 'sleep *'],
  ...['break *', 'continue *'],
  ...['grep *', 'egrep *', 'fgrep *', 'rg *', 'find *', 'sort *', 'cut *', 'tr *', 'jq *'],
  ...['sed *', 'awk *', 'column *', 'paste *', 'join *', 'fold *', 'rev *', 'uniq *', 'tar *'],
  ...['git status *', 'git diff *', 'git log *', 'git show *', 'git branch *', 'git tag *'],
  ...['git remote *', 'git rev-parse *', 'git rev-list *', 'git merge-base *', 'git describe *'],
  ...['git blame *', 'git ls-files *', 'git ls-tree *', 'git cat-file *', 'git shortlog *'],
  ...['git grep *', 'git stash list *', 'git show-ref *', 'git name-rev *', 'git reflog *'],
];
