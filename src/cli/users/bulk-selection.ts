/** Which users `rollbook users bulk` is about. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { BulkChange, DeletedUser, RollbookClient } from '../../sdk/client/index.ts'
import { type FindOptions, findUser, folded, isUserId } from '../server/find-user.ts'
import { filterOf } from '../server/user-filter.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import type { Progress } from '../terminal/progress.ts'
import type { Action, BulkOptions } from './bulk-options.ts'

/** What was typed. */
export type Meant = { names: string[] } | { filter: NonNullable<BulkChange['filter']>; except: string[] }

/** As the requests have it, and the names that are nobody's. */
export type Found = { wholes: Pick<BulkChange, 'user_ids' | 'filter' | 'except'>[]; missing: string[] }

const idsAtOnce = 1000
const lookUpsAtOnce = 8

/** @throws UsageError where it is not clear who is meant: nothing given must not mean everybody */
export async function readMeant(action: Action, named: readonly string[], options: BulkOptions): Promise<Meant> {
  const { to, fromFile, all, except = [], yes, dryRun } = options
  const filter = filterOf(options)
  const hasFilter = Object.keys(filter).length > 0
  const hasNames = named.length > 0 || fromFile !== undefined
  if (action === 'set-role' && to === undefined) {
    const hint = options.role === undefined ? '' : ' (--role says whose role it is now.)'
    throw new UsageError(`Give the role that they get, with --to.${hint}`)
  }
  if (action !== 'set-role' && to !== undefined) throw new UsageError('--to is for set-role.')
  if (hasNames && (hasFilter || all || except.length > 0)) {
    throw new UsageError('Give users, or conditions that they match; not both.')
  }
  if (all && hasFilter) throw new UsageError('--all is everybody: leave it out, or the conditions.')
  if (!hasNames && !hasFilter && !all) {
    throw new UsageError('Say who: users, --from-file, conditions such as --inactive, or --all for everybody.')
  }
  if (!hasNames && action === 'restore') {
    throw new UsageError('Deleted users match no conditions: name them. rollbook users deleted lists them.')
  }
  if (fromFile === '-' && !yes && !dryRun) {
    throw new UsageError('With users from standard input nothing can be asked there. Give --yes if it is meant.')
  }
  if (!hasNames) return { filter, except }
  return { names: [...new Set([...named, ...(fromFile === undefined ? [] : await readNames(fromFile))])] }
}

async function readNames(file: string): Promise<string[]> {
  const content = file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8')
  const names = content.replace(/^\ufeff/, '').split('\n')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

export type Search = { client: RollbookClient; signal: AbortSignal; progress: Progress | undefined } & FindOptions

export async function findMeant(meant: Meant, action: Action, search: Search): Promise<Found> {
  if ('filter' in meant) {
    const { filter } = meant
    if (meant.except.length === 0) return { wholes: [{ filter }], missing: [] }
    const { ids, missing } = await findLive(meant.except, search)
    // Somebody is to be spared, and is not: that must not go on.
    if (missing.length > 0) throw new Failed(`There is no user ${missing[0]}.`, exitCodes.notFound)
    return { wholes: [{ filter, except: ids }], missing }
  }
  const find = action === 'restore' ? findDeleted : findLive
  const { ids, missing } = await find(meant.names, search)
  const wholes = Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, n) => ({
    user_ids: ids.slice(n * idsAtOnce, (n + 1) * idsAtOnce),
  }))
  return { wholes, missing }
}

type Ids = { ids: string[]; missing: string[] }

/** An id needs no search: the server says itself whether there is such a user. */
function isId(name: string, by: FindOptions['by']): boolean {
  if (by === 'id' && !isUserId(name)) throw new UsageError(`${name} is no id of a user.`)
  return by === 'id' || (by === undefined && isUserId(name))
}

async function findLive(names: readonly string[], { client, signal, progress, by }: Search): Promise<Ids> {
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

/** Nothing looks deleted users up by name, so all of them are looked through, once. */
async function findDeleted(names: readonly string[], { client, signal, by }: Search): Promise<Ids> {
  const known = new Map<string, Set<string>>()
  const isNamed = names.some((name) => !isId(name, by))
  for await (const user of isNamed ? client.deletedUsers.list({ signal }) : []) {
    for (const text of textsOf(user, by)) {
      if (text !== null) known.set(keyOf(text, by), (known.get(keyOf(text, by)) ?? new Set()).add(user.user_id))
    }
  }
  const found = names.map((name) => {
    if (isId(name, by)) return name.toLowerCase()
    const ids = [...(known.get(keyOf(name, by)) ?? [])]
    if (ids.length <= 1) return ids[0]
    throw new UsageError(`Several deleted users were called ${name}. Give the id of one: ${ids.join(', ')}.`)
  })
  return idsOf(names, found)
}

function textsOf({ username, email, external_id }: DeletedUser, by: FindOptions['by']): (string | null)[] {
  switch (by) {
    case 'username':
      return [username]
    case 'email':
      return [email]
    case 'external-id':
      return [external_id]
    default:
      return [username, email]
  }
}

function keyOf(name: string, by: FindOptions['by']): string {
  return by === 'external-id' ? name : folded(name)
}

function idsOf(names: readonly string[], found: readonly (string | undefined)[]): Ids {
  return {
    ids: [...new Set(found.filter((id) => id !== undefined))],
    missing: names.filter((_, index) => found[index] === undefined),
  }
}
