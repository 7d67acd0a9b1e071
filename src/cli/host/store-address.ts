/** Reads the address of a store from an argument. */
import { readFileSync, statSync } from 'node:fs'
import { type PostgresAddress, parsePostgresUrl } from '../../lib/postgres-url.ts'
import { UsageError } from '../terminal/failure.ts'

export type Place = { engine: 'sqlite'; directory: string } | { engine: 'postgres'; address: PostgresAddress }

const forms = 'sqlite:<directory>, postgres://…, env:<variable> or file:<path>'

/**
 * Reads `sqlite:./data` and `postgres://…`. Other users of the machine can see arguments, so a URL with a password is
 * better given as `env:NAME` or `file:path`. Errors do not repeat the text.
 */
export function readPlace(option: string, text: string, env: NodeJS.ProcessEnv): Place {
  const [, form, rest = ''] = /^(\w+):(.*)$/s.exec(text) ?? []
  switch (form?.toLowerCase()) {
    case 'env': {
      const value = env[rest]
      if (!value) throw new UsageError(`${option} names a variable that is not set.`)
      return readDirect(option, value)
    }
    case 'file':
      return readDirect(option, readFileSync(rest, 'utf8').trim())
    default:
      return readDirect(option, text)
  }
}

/** Whether the argument contains a password, which every user of the machine can see. */
export function showsPassword(text: string): boolean {
  return /^postgres(ql)?:\/\/[^@/]*:[^@/]+@/i.test(text)
}

function readDirect(option: string, text: string): Place {
  if (/^postgres(ql)?:\/\//i.test(text)) {
    const address = parsePostgresUrl(text)
    if ('faults' in address) throw new UsageError(address.faults.map((fault) => `${option} ${fault}.`).join('\n'))
    return { engine: 'postgres', address }
  }
  const directory = /^sqlite:(.+)$/s.exec(text)?.[1]
  if (directory === undefined) throw new UsageError(`${option} must be one of ${forms}.`)
  if (statSync(directory, { throwIfNoEntry: false })?.isFile()) {
    throw new UsageError(`${option} names a file. Give the data directory that contains rollbook.db.`)
  }
  return { engine: 'sqlite', directory }
}
