/** Finds many users by what an operator calls them. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { RollbookClient } from '../../sdk/client/index.ts'
import { UsageError } from '../terminal/failure.ts'
import type { Progress } from '../terminal/progress.ts'
import { type FindOptions, findUser, isUserId } from './find-user.ts'

export type Search = { client: RollbookClient; signal: AbortSignal; progress: Progress | undefined } & FindOptions

/** The ids that were found, and the names that no user has. */
export type Ids = { ids: string[]; missing: string[] }

const lookUpsAtOnce = 8

/** Reads one name per line; `-` is standard input. */
export async function readNames(file: string): Promise<string[]> {
  const content = file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8')
  const names = content.replace(/^\ufeff/, '').split('\n')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

/** Whether a name is an id, which needs no lookup: the server reports unknown ids. */
export function isId(name: string, by: FindOptions['by']): boolean {
  if (by === 'id' && !isUserId(name)) throw new UsageError(`${name} is not the id of a user.`)
  return by === 'id' || (by === undefined && isUserId(name))
}

export async function findLive(names: readonly string[], { client, signal, progress, by }: Search): Promise<Ids> {
  const found = new Array<string | undefined>(names.length)
  const left = names.entries()
  let done = 0
  async function search(): Promise<void> {
    for (const [index, name] of left) {
      found[index] = isId(name, by) ? name.toLowerCase() : (await findUser(client, name, by, { signal }))?.user_id
      progress?.update(++done, names.length)
    }
  }
  await Promise.all(Array.from({ length: lookUpsAtOnce }, search))
  return idsOf(names, found)
}

export function idsOf(names: readonly string[], found: readonly (string | undefined)[]): Ids {
  return {
    ids: [...new Set(found.filter((id) => id !== undefined))],
    missing: names.filter((_, index) => found[index] === undefined),
  }
}
