/** `rollbook completion`: scripts for shells. They call `rollbook complete`, so they never become outdated. */
import { Argument, type Command } from 'commander'
import { examples } from '../terminal/examples.ts'
import { put } from '../terminal/standard-output.ts'

const scripts = {
  /*
   * Candidates are quoted: otherwise the shell would run a username such as $(reboot). Nothing is offered inside open
   * quotes, because no quoting is right for all of them.
   */
  bash: `_rollbook() {
  local piece="\${COMP_WORDS[COMP_CWORD]}" line
  COMPREPLY=()
  case "\${piece//\\\\[\\"\\']/}" in
    *[\\"\\']*) return ;;
    [=:@]) piece= ;;
  esac
  while IFS= read -r line; do
    if [ "$line" = :files ]; then
      compopt -o default
      return
    fi
    COMPREPLY+=("$(printf %q "\${line%%$'\\t'*}")")
  done < <("\${COMP_WORDS[0]}" complete --line "\${COMP_LINE:0:COMP_POINT}" --piece "$piece" 2>/dev/null)
}
complete -F _rollbook rollbook
`,
  zsh: `#compdef rollbook
_rollbook() {
  local line
  local -a values shown
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  }")
  done < <("$words[1]" complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  compadd -l -d shown -a values
}
if [ "$funcstack[1]" = _rollbook ]; then
  _rollbook "$@"
else
  compdef _rollbook rollbook
fi
`,
  fish: `function __rollbook_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] complete -- $words[2..] "$current" 2>/dev/null)
    if test "$found[1]" = ":files"
        __fish_complete_path "$current"
    else
        printf '%s\\n' $found
    end
end
complete -c rollbook -f -a '(__rollbook_complete)'
`,
} as const

type Shell = keyof typeof scripts

export function addCompletion(program: Command): void {
  const completion = program
    .command('completion')
    .summary('print a completion script for the shell')
    .description(
      'Prints a script with which the shell completes commands, options, files, and the names of users, roles and profiles. It asks the server of the typed command for users and roles.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .action((shell: Shell) => put(scripts[shell]))
  examples(completion, [
    ['source <(rollbook completion bash)', 'add this to ~/.bashrc; for zsh, to ~/.zshrc'],
    ['rollbook completion fish > ~/.config/fish/completions/rollbook.fish', 'install for fish'],
  ])
}
