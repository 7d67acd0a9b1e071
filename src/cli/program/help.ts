/** `rollbook help`: explains a command or a topic. */
import type { Command } from 'commander'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { put } from '../terminal/standard-output.ts'

/** Builds the tree of commands: the named one with its subcommands, or all. */
export type BuildProgram = (name?: string) => Promise<Command>

export function addHelp(program: Command, buildProgram: BuildProgram): void {
  const help = program
    .command('help')
    .summary('explain a command or a topic')
    .description(`Explains a command, or a topic from the end of rollbook --help.`)
    .argument('[subject...]', 'a command with its subcommand, or a topic')
    .action((subject: string[]) => runHelp(subject, buildProgram))
  examples(help, [
    ['rollbook help users update', 'same as rollbook users update --help'],
    ['rollbook help exit-codes', 'the exit codes, for scripts'],
  ])
}

async function runHelp(subject: readonly string[], buildProgram: BuildProgram): Promise<void> {
  const [name, ...below] = subject
  if (name === undefined) {
    const { helpText } = await import('./help-text.ts')
    return put(helpText)
  }
  const { topics } = await import('./topics.ts')
  const topic = below.length === 0 ? topics[name] : undefined
  if (topic) return put(`${topic.text}\n`)
  let command: Command | undefined = await buildProgram(name)
  for (const word of subject)
    command = command?.commands.find((one) => one.name() === word || one.aliases().includes(word))
  if (command === undefined) {
    throw new UsageError(`There is no such command or topic. Topics: ${Object.keys(topics).join(', ')}.`)
  }
  return put(command.helpInformation())
}

/** Returns the text of `rollbook --help`, for `npm run generate`. */
export async function renderHelp(program: Command): Promise<string> {
  const { topics } = await import('./topics.ts')
  const width = Math.max(...Object.keys(topics).map((name) => name.length))
  const lines = Object.entries(topics).map(([name, { title }]) => `  ${name.padEnd(width)}  ${title}`)
  return `${program.helpInformation()}\nTopics (rollbook help <topic>):\n${lines.join('\n')}\n`
}
