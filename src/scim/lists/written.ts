/** Lists of users with all attributes. The database serializes the resources, ten times as fast as composing them here. */
import * as groups from '../../administration/groups/service.ts'
import * as documents from '../../directory/scim-documents/service.ts'
import type { Db } from '../../store/db/db.ts'
import { listResponse } from '../paging/list-response.ts'
import { readUsers } from '../resources/users.ts'
import type { ProjectionRequest } from '../schemas/project.ts'
import { assemble, groupInsertions, groupsByPairs, type Insertion, viewOf } from './group-texts.ts'
import { countAll, findMarks, idsOf, isPlain, type Plan, planOf, type UsersAsked } from './users.ts'
import { type Marked, placeOf, type Window, windowOf } from './window.ts'

type Written = Marked & {
  /** Free bytes for the head, resources without groups, and the end of the response. */
  body: Uint8Array
  /** Into the resources alone. */
  insertions: readonly Insertion[]
  itemCount: number
  total: number
}

export function showsAll({ attributes = [], excludedAttributes = [] }: ProjectionRequest): boolean {
  return attributes.length + excludedAttributes.length === 0
}

/** Returns undefined if the list needs a scan. @throws ScimError, AppError `list_too_costly` */
export async function writeUsers(db: Db, query: UsersAsked): Promise<{ body: Uint8Array; total: number } | undefined> {
  const window = windowOf(query)
  const plan = await planOf(db, query)
  if (plan.matches !== undefined || plan.keyOf !== undefined) return undefined
  const isNext = window.skipped === 0 && !window.place?.backwards
  const { body, insertions, ...page } =
    isPlain(plan) && isNext && window.count > 0
      ? await writePage(db, query, window)
      : await writeFound(db, query, plan, window)
  const place = placeOf(query, window, page)
  // The resources are the last member.
  const empty = JSON.stringify({ ...listResponse([], place), itemsPerPage: page.itemCount, Resources: [] })
  const whole = withHead(empty.slice(0, -documents.pageEnd.length), body, insertions)
  const current = await replaceStale(db, query, whole)
  return current && { body: current, total: page.total }
}

/** Writes the head into the free bytes; groups need a copy. */
function withHead(head: string, body: Uint8Array, insertions: readonly Insertion[]): Buffer {
  const start = documents.headRoom - Buffer.byteLength(head)
  if (insertions.length > 0 || start < 0) return assemble(head, resourcesOf(body), insertions, documents.pageEnd)
  const whole = viewOf(body).subarray(start)
  whole.write(head)
  return whole
}

function resourcesOf(body: Uint8Array): Uint8Array {
  return body.subarray(documents.headRoom, -documents.pageEnd.length)
}

/** A page of all users. */
async function writePage(db: Db, query: UsersAsked, { place, count: limit }: Window): Promise<Written> {
  const { base } = query
  const start = place?.mark?.id ?? ''
  const { body, ids, more } = await documents.pageOfTexts(db, { after: start, limit, base })
  const marks = ids.map((id) => ({ id, key: null }))
  const total = !more && place === undefined ? ids.length : await countAll(db, query)
  const found = { marks, more, itemCount: ids.length, total }
  const last = ids.at(-1)
  if (last === undefined) return { body, insertions: [], ...found }
  const { pairs, groups: known } = await groups.membershipsBetween(db, start, last)
  const insertions = pairs === '' ? [] : groupInsertions(resourcesOf(body), ids, groupsByPairs(pairs, known), base)
  return { body, insertions, ...found }
}

/** A page in another order, or of the users that an index finds. */
async function writeFound(db: Db, query: UsersAsked, plan: Plan, window: Window): Promise<Written> {
  const { base } = query
  const one =
    window.skipped === 0 && window.place === undefined && window.count > 0 ? await findOne(db, plan, base) : undefined
  if (one !== undefined) {
    const ids = [...one.keys()]
    const memberships = ids.length === 0 ? [] : await groups.listGroupsOfUsers(db, query.scope, ids)
    return {
      ...written(one, memberships, base),
      total: ids.length,
      marks: ids.map((id) => ({ id, key: null })),
      more: false,
    }
  }
  const page = await findMarks(db, query, plan, window)
  const ids = idsOf(page)
  const [found, memberships] = await Promise.all([
    documents.findTexts(db, ids, base),
    groups.listGroupsOfUsers(db, query.scope, ids),
  ])
  const texts = new Map(ids.flatMap((id) => (found.has(id) ? [[id, found.get(id) as string]] : [])))
  return { ...written(texts, memberships, base), ...page }
}

/** Returns the user with a unique name, without evaluating the filter. */
async function findOne(db: Db, { filters }: Plan, base: string): Promise<Map<string, string> | undefined> {
  const { username_key, external_id, ...others } = filters
  if (Object.keys(others).length > 0) return undefined
  if (username_key !== undefined && external_id !== undefined) return undefined
  if (username_key !== undefined) return documents.findTextByUsername(db, username_key, base)
  return external_id === undefined ? undefined : documents.findTextByExternalId(db, external_id, base)
}

type Membership = { user_id: string; group_id: string; name: string }

function written(texts: ReadonlyMap<string, string>, memberships: readonly Membership[], base: string) {
  const own = Map.groupBy(memberships, ({ user_id }) => user_id)
  const body = Buffer.from(room + [...texts.values()].join(documents.joint) + documents.pageEnd)
  const insertions =
    own.size === 0 ? [] : groupInsertions(resourcesOf(body), [...texts.keys()], (id) => own.get(id), base)
  return { body, insertions, itemCount: texts.size }
}

const room = ' '.repeat(documents.headRoom)
const mark = documents.staleMark.charCodeAt(0)
const staleResource = new RegExp(`${documents.staleMark}(.{36})`, 'g')

/**
 * Composes the resources of users who have been changed without SCIM since theirs was stored. Returns undefined if one of
 * them has just been deleted.
 */
async function replaceStale(
  db: Db,
  { scope, base }: Pick<UsersAsked, 'scope' | 'base'>,
  body: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (!body.includes(mark)) return body
  const text = viewOf(body).toString()
  const ids = [...text.matchAll(staleResource)].map(([, id = '']) => id)
  const composed = new Map((await readUsers(db, scope, ids, base)).map((one) => [one.id, JSON.stringify(one)]))
  if (composed.size < ids.length) return undefined
  return Buffer.from(text.replaceAll(staleResource, (_, id) => composed.get(id) as string))
}
