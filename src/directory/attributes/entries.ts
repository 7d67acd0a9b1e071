/** Maintains the index of values in the change that writes the user. */

import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { type Definitions, holdDefinitions } from './definitions.ts'
import * as store from './store.ts'
import { attributeTaken, entriesOf, readValues, textKeys } from './values.ts'

type Row = { user_id: string; attributes: string }

/** For new users. @throws AppError `attribute_taken` */
export async function addEntries(ctx: ChangeContext, rows: readonly Row[]): Promise<void> {
  const some = rows.filter(({ attributes }) => attributes !== '{}')
  if (some.length === 0) return
  const definitions = await holdDefinitions(ctx.db)
  await insert(
    ctx,
    some.flatMap(({ user_id, attributes }) => entriesOf(definitions, user_id, readValues(attributes))),
  )
}

/** For a user whose values may have changed. @throws AppError `attribute_taken` */
export async function changeEntries(ctx: ChangeContext, found: Row, next: Row): Promise<void> {
  if (found.attributes === next.attributes) return
  const definitions = await holdDefinitions(ctx.db)
  const before = entriesOf(definitions, found.user_id, readValues(found.attributes))
  const after = entriesOf(definitions, next.user_id, readValues(next.attributes))
  // By attribute: an entry may have the key of an earlier release (docs/decisions/0122).
  const changed = new Set(without(before, after).map(({ attribute }) => attribute))
  if (changed.size > 0) await store.deleteEntriesIn(ctx.db, found.user_id, [...changed])
  const remaining = before.filter(({ attribute }) => !changed.has(attribute))
  await insert(ctx, without(after, remaining))
}

/** For a deleted user. */
export async function removeEntries(ctx: ChangeContext, { user_id, attributes }: Row): Promise<void> {
  if (attributes !== '{}') await store.deleteEntriesOf(ctx.db, user_id)
}

/** The users who have a text as a unique value, whatever the attribute. */
export function ownersOfText(db: Db, text: string): Promise<string[]> {
  return store.findOwnersOfKeys(db, textKeys(text))
}

/** The unique values of a user. */
export function uniqueEntries(definitions: Definitions, { user_id, attributes }: Row): store.Entry[] {
  if (attributes === '{}') return []
  return entriesOf(definitions, user_id, readValues(attributes)).filter(({ is_unique }) => is_unique === 1)
}

/** The owners of these unique values, by `valueName`. */
export async function findOwnersOfValues(db: Db, entries: readonly store.Entry[]): Promise<Map<string, string>> {
  if (entries.length === 0) return new Map()
  const owners = await store.findOwners(db, entries)
  return new Map(owners.map((owner) => [valueName(owner), owner.user_id]))
}

function without(entries: readonly store.Entry[], others: readonly store.Entry[]): store.Entry[] {
  const known = new Set(others.map(valueName))
  return entries.filter((entry) => !known.has(valueName(entry)))
}

/** Unambiguous, because neither part contains a line feed. */
export function valueName({ attribute, value_key }: Pick<store.Entry, 'attribute' | 'value_key'>): string {
  return `${attribute}\n${value_key}`
}

async function insert(ctx: ChangeContext, entries: readonly store.Entry[]): Promise<void> {
  if (entries.length === 0 || (await store.insertEntries(ctx.db, entries)) === entries.length) return
  const owners = await store.findOwners(ctx.db, entries)
  const mine = new Map(entries.map((entry) => [valueName(entry), entry.user_id]))
  const taken = owners.filter((owner) => mine.get(valueName(owner)) !== owner.user_id)
  throw attributeTaken([...new Set(taken.map(({ attribute }) => attribute))])
}

export type { Entry } from './store.ts'
