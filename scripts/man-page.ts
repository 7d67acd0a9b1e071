/** The man page and the text of `rollbook --help`, from the tree of commands. */
import type { Command } from 'commander'
import { renderHelp } from '../src/cli/program/help.ts'
import { buildProgram } from '../src/cli/program/program.ts'
import { topics } from '../src/cli/program/topics.ts'
import { examplesOf } from '../src/cli/terminal/examples.ts'

export async function helpModule(): Promise<string> {
  const text = (await renderHelp(await buildProgram())).replaceAll(/[\\`]|\$\{/g, '\\$&')
  return `// Made from the commands by \`npm run generate\`; change them instead.\n\nexport const helpText = \`${text}\`\n`
}

export async function manPage(): Promise<string> {
  const program = await buildProgram()
  const sections = [
    '.\\" Made from the commands by `npm run generate`; change them instead.',
    '.TH ROLLBOOK 1 "" "Rollbook" "User Commands"',
    section('NAME', 'rollbook \\- User Administration API: the server and its command line'),
    section('SYNOPSIS', '.B rollbook\n.RI [ command \\ [ subcommand ]]\n.RI [ options ]\n.RI [ arguments ]'),
    section('DESCRIPTION', `${paragraphs(program.description())}\n${exampleLines(program)}`),
    section('COMMANDS', leavesOf(program).map(commandText).join('\n')),
    ...Object.entries(topics).map(([name, { text }]) => section(headings[name] ?? name.toUpperCase(), verbatim(text))),
    section('FILES', files),
    section('SEE ALSO', paragraphs('The pages in docs/ of the package, and /auth/docs on a running server.')),
  ]
  return `${sections.join('\n')}\n`
}

/** As man pages call them. */
const headings: Record<string, string> = { 'exit-codes': 'EXIT STATUS' }

const files = `.TP
.I $XDG_CONFIG_HOME/rollbook/profiles.json
Stored servers and their keys; mode 0600.
.TP
.I data/admin\\-key
In the data directory of a server: the API key that its first start created.`

function leavesOf(command: Command): Command[] {
  const below = command.createHelp().visibleCommands(command)
  return below.length === 0 ? [command] : below.flatMap(leavesOf)
}

function commandText(command: Command): string {
  const help = command.createHelp()
  const terms = [
    ...help.visibleArguments(command).map((one) => [help.argumentTerm(one), help.argumentDescription(one)] as const),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((one) => [help.optionTerm(one), help.optionDescription(one)] as const),
  ]
  const list = terms.map(([term, what]) => `.TP\n.B ${escaped(term)}\n${escaped(what)}`)
  return [
    `.SS ${escaped(help.commandUsage(command))}`,
    paragraphs(command.description()),
    ...list,
    exampleLines(command),
  ].join('\n')
}

function exampleLines(command: Command): string {
  const lines = examplesOf(command).map(([line, what]) => `# ${what}\n${line}`)
  return lines.length === 0 ? '.PP' : verbatim(lines.join('\n'))
}

function section(name: string, body: string): string {
  return `.SH ${name}\n${body}`
}

/** Lines that are indented stay as they are, such as the examples of a description. */
function paragraphs(text: string): string {
  const parts = text.split('\n\n').map((part) => (/^ /m.test(part) ? verbatim(part) : escaped(part)))
  return parts.join('\n.PP\n')
}

function verbatim(text: string): string {
  return `.PP\n.nf\n${text.split('\n').map(escaped).join('\n')}\n.fi`
}

/** In roff a backslash begins a command, and so do a dot and an apostrophe at the beginning of a line. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/\P{ASCII}/gu, (character) => `\\[u${codePoint(character)}]`)
    .replaceAll(/^(?=[.'])/gm, '\\&')
}

function codePoint(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
}
