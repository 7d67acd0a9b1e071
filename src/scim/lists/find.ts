/** Serves a SCIM list. Runs on a reading thread and returns the complete body, so the main thread need not build it. */
import type { Db } from '../../store/db/db.ts'
import { compileFilterForAll } from '../filter/evaluate.ts'
import { listResponse } from '../paging/list-response.ts'
import { crossing } from '../protocol/crossing.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { compileProjection, type Projection } from '../schemas/project.ts'
import { findGroups } from './groups.ts'
import { type Found, findUsers, type UsersAsked } from './users.ts'
import { placeOf, windowOf } from './window.ts'
import { showsAll, writeUsers } from './written.ts'

export type Listed = { body: string | Uint8Array; total: number }

/** @throws AppError that carries a ScimError */
export function find(db: Db, asked: UsersAsked): Promise<Listed> {
  return crossing(async () => {
    const { projection } = asked.request
    if (asked.endpoint === '/Users') {
      const written = showsAll(projection) ? await writeUsers(db, asked) : undefined
      if (written !== undefined) return written
      return listed(asked, await findUsers(db, asked), compileProjection(userDefinition, projection))
    }
    if (asked.endpoint === '/Groups') {
      return listed(asked, await findGroups(db, asked), compileProjection(groupDefinition, projection))
    }
    return findAll(db, asked)
  })
}

function listed(asked: UsersAsked, found: Found, project: Projection): Listed {
  const { resources, total, window, next } = found
  const place = placeOf(asked, window, { total, shown: resources.length, next })
  return { body: JSON.stringify(listResponse(resources.map(project), place)), total }
}

/** A search at the root: users first, then groups. */
async function findAll(db: Db, asked: UsersAsked): Promise<Listed> {
  const { request } = asked
  const definitions = [userDefinition, groupDefinition]
  if (request.filter !== undefined) compileFilterForAll(request.filter, definitions, asked)
  const { skipped, count } = windowOf(asked)
  const part = (from: number, size: number): UsersAsked => ({
    ...asked,
    isForAll: true,
    request: { ...request, page: { by: 'index', startIndex: from + 1, count: size } },
  })
  const users = await findUsers(db, part(skipped, count))
  const rest = Math.max(count - users.resources.length, 0)
  const groups = await findGroups(db, part(Math.max(skipped - users.total, 0), rest))
  const project = [
    ...users.resources.map(compileProjection(userDefinition, request.projection)),
    ...groups.resources.map(compileProjection(groupDefinition, request.projection)),
  ]
  const total = users.total + groups.total
  const place = placeOf(asked, { skipped, count, after: undefined }, { total, shown: project.length })
  return { body: JSON.stringify(listResponse(project, place)), total }
}
