import * as groups from '../../administration/groups/service.ts'
import type { Scope } from '../../core/scope.ts'
import type { Db } from '../../store/db/db.ts'
import { crossing } from '../protocol/crossing.ts'
import { readGroup, showsMembers } from '../resources/groups.ts'
import { versionIn } from '../resources/version.ts'
import { groupDefinition } from '../schemas/definition.ts'
import { compileProjection, type ProjectionRequest } from '../schemas/project.ts'

export type GroupAsked = { group_id: string; base: string; projection: ProjectionRequest; scope: Scope }

/**
 * Returns one group as the body of a response. With many members it is large, so it is written where reads run.
 *
 * @throws AppError `group_not_found`, or one that carries a ScimError
 */
export function findGroup(
  db: Db,
  { group_id, base, projection, scope }: GroupAsked,
): Promise<{ body: string; version: string }> {
  return crossing(async () => {
    const row = await groups.getRow(db, scope, group_id)
    const resource = await readGroup(db, scope, row, base, showsMembers(projection))
    const body = JSON.stringify(compileProjection(groupDefinition, projection)(resource))
    return { body, version: versionIn(resource) }
  })
}
