/** `kalends completion`: a script with which a shell completes commands and options. */
import { type Command, usageError } from './command.ts';
import { allOptions } from './parse.ts';

const SCRIPTS: Readonly<Record<string, (tree: string) => string>> = {
  bash: (tree) => `_kalends() {
  local word=\${COMP_WORDS[COMP_CWORD]} place= before i
  for ((i = 1; i < COMP_CWORD; i++)); do
    before=\${COMP_WORDS[i]}
    [[ $before == -* ]] && break
    place+=\${place:+ }$before
  done
  COMPREPLY=($(compgen -W "$(_kalends_words "$place")" -- "$word"))
}
${lookUp(tree)}
complete -o default -F _kalends kalends`,
  zsh: (tree) => `#compdef kalends
_kalends() {
  local place= i
  for ((i = 2; i < CURRENT; i++)); do
    [[ $words[i] == -* ]] && break
    place+=\${place:+ }$words[i]
  done
  compadd -- \${(f)"$(_kalends_words "$place")"} || _files
}
${lookUp(tree)}
compdef _kalends kalends`,
  fish: (tree) => `function __kalends_complete
  set -l place
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and break
    set -a place $word
  end
  while true
    for line in (string split \\n -- '${tree}')
      set -l parts (string split -m 1 : -- $line)
      if test "$parts[1]" = "$place"
        string split ' ' -- $parts[2]
        return
      end
    end
    test (count $place) -eq 0; and return
    set -e place[-1]
  end
end
complete -c kalends -f -a '(__kalends_complete)'`,
};

/** A shell function that prints the words after a path, or after the longest part of it that selects a command. */
const lookUp = (tree: string): string => `_kalends_words() {
  local place=$1 line
  while :; do
    while IFS= read -r line; do
      if [[ \${line%%:*} == "$place" ]]; then
        printf '%s\\n' "\${line#*:}" | tr ' ' '\\n'
        return
      fi
    done <<'END'
${tree}
END
    [[ $place == *' '* ]] && place=\${place% *} || { [[ -z $place ]] && return; place=; }
  done
}`;

/** Returns one line for each group and command: its words, a colon, and what can follow. */
function completionTree(commands: readonly Command[]): string {
  const following = new Map<string, Set<string>>();
  for (const command of commands) {
    const { name } = command;
    const parts = name.split(' ');
    for (const [at, word] of parts.entries()) {
      const path = parts.slice(0, at).join(' ');
      following.set(path, (following.get(path) ?? new Set()).add(word));
    }
    following.set(name, new Set(allOptions(command).map((option) => `--${option.name}`)));
  }
  return [...following].map(([path, next]) => `${path}:${[...next].join(' ')}`).join('\n');
}

/** Returns the command. `commands` returns all commands, this one among them. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a script that completes commands and options in a shell',
  positionals: [{ name: 'SHELL', doc: '`bash`, `zsh` or `fish`.' }],
  notes: [
    'bash: `source <(kalends completion bash)` in `~/.bashrc`. zsh: `source <(kalends completion zsh)` in `~/.zshrc`, after `compinit`. fish: `kalends completion fish > ~/.config/fish/completions/kalends.fish`.',
  ],
  async run({ positionals }) {
    const shell = positionals.SHELL ?? '';
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined) throw usageError(`SHELL must be one of ${Object.keys(SCRIPTS).join(', ')}.`);
    const text = script(completionTree(commands()));
    return { json: { shell, script: text }, text };
  },
});
