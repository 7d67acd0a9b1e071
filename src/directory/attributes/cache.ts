/** Caches the definitions for requests: lists, headers, tokens, the OpenAPI document. */

import { createHash } from 'node:crypto'
import { freshValue } from '../../store/fresh-value.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { type Definitions, readDefinitions } from './definitions.ts'
import type { AttributeValues } from './schema.ts'
import { findValues } from './store.ts'
import { readValues } from './values.ts'

type KnownAttributes = {
  definitions: Definitions
  /** Differs whenever a definition does; for entity tags. */
  tag: string
  /** The names of those that forward-auth shows. */
  inHeaders: readonly string[]
}

export type AttributeCache = {
  /** The definitions as of half a second ago at most; those that this node has changed at once. */
  current(): Promise<KnownAttributes>
  /** The user's current values that access tokens carry. */
  inTokensOf(userId: string | undefined): Promise<AttributeValues>
  /** The user's current values that forward-auth sends. Not a promise if no attribute is sent, the usual case. */
  inHeadersOf(userId: string | undefined): AttributeValues | Promise<AttributeValues>
}

export function attributeCache(storage: Pick<Storage, 'db' | 'onAnnouncement'>): AttributeCache {
  const known = freshValue(storage, { changedBy: 'attributes_changed', read: () => read(storage) })
  async function visibleValues(userId: string): Promise<AttributeValues> {
    const { inHeaders } = await known.current()
    if (inHeaders.length === 0) return {}
    const values = readValues(await findValues(storage.db, userId))
    return Object.fromEntries(Object.entries(values).filter(([name]) => inHeaders.includes(name)))
  }

  return {
    current: known.current,
    async inTokensOf(userId) {
      const { definitions } = await known.current()
      // Most have none, and then a token costs no statement more.
      if (userId === undefined || ![...definitions.values()].some(({ in_token }) => in_token)) return {}
      const values = readValues(await findValues(storage.db, userId))
      const some = Object.entries(values).filter(([name]) => definitions.get(name)?.in_token)
      return Object.fromEntries(some)
    },
    inHeadersOf(userId) {
      if (userId === undefined || known.ifRead()?.inHeaders.length === 0) return {}
      return visibleValues(userId)
    },
  }
}

async function read({ db }: Pick<Storage, 'db'>): Promise<KnownAttributes> {
  const definitions = await readDefinitions(db)
  const text = [...definitions.values()].map(({ name, updated_at, ...rest }) =>
    JSON.stringify([name, updated_at, rest]),
  )
  const tag = definitions.size === 0 ? '' : createHash('sha256').update(text.join()).digest('base64url').slice(0, 12)
  const inHeaders = [...definitions.values()].filter(({ in_header }) => in_header).map(({ name }) => name)
  return { definitions, tag, inHeaders }
}
