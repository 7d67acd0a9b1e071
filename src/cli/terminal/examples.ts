import type { Command } from 'commander'

/** A line to type, and what it does. */
export type Example = readonly [line: string, what: string]

const known = new WeakMap<Command, readonly Example[]>()

/** Stand before the options in the help of a command, and in the man page. */
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
