import type { Command } from 'commander'

/** A command line, and what it does. */
export type Example = readonly [line: string, what: string]

const known = new WeakMap<Command, readonly Example[]>()

/** Sets the examples of a command, which precede its options in the help and the man page. */
export function examples(command: Command, list: readonly [Example, Example, ...Example[]]): Command {
  known.set(command, list)
  return command
}

export function examplesOf(command: Command): readonly Example[] {
  return known.get(command) ?? []
}

export function withExamples(description: string, list: readonly Example[]): string {
  if (list.length === 0) return description
  const lines = list.map(([line, what]) => `  # ${what}\n  ${line}`)
  return `${description}\n\nExamples:\n${lines.join('\n')}`
}
