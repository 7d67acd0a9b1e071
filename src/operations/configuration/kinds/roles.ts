import { type CreateRole, createRoleSchema, type UpdateRole } from '../../../administration/roles/schema.ts'
import * as roles from '../../../administration/roles/service.ts'
import { AppError } from '../../../core/errors.ts'
import type { Kind } from '../kind.ts'
import { expectedOf, sortedMembers } from './members.ts'

const initial = { description: '' } as const

/** Stored roles. Those of the settings are no part of a file. */
export const roleKind: Kind = {
  section: 'roles',
  needs: 'roles:write',
  schema: createRoleSchema,
  renames: false,
  nameKey: (name) => name,

  async list(db) {
    const rows = (await roles.listRoles(db)).filter(({ replaced_by }) => replaced_by === null)
    return rows.map(({ role, description, permissions, managed_by, version }) => {
      const members = sortedMembers({ role, description, permissions: JSON.parse(permissions) }, ['permissions'])
      return { id: role, name: role, members, managed_by, version }
    })
  },

  initial: () => initial,

  normalize({ members }) {
    return sortedMembers({ ...initial, ...roles.checkRoleInput(members as CreateRole) }, ['permissions'])
  },

  async create(ctx, { members }) {
    const { role } = await roles.create(ctx, members as unknown as CreateRole)
    return { id: role }
  },

  async update(ctx, { id, version }, { changed }) {
    await roles.update(ctx, { role: id, input: changed as UpdateRole, expected: expectedOf(version) })
  },

  async remove(ctx, { id, version }) {
    try {
      await roles.remove(ctx, { role: id, expected: expectedOf(version) })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'role_in_use') throw error
      const remedy = `Move its holders first: rollbook roles delete ${id} --replace-with ROLE`
      throw new AppError('role_in_use', `${id}: ${error.message} ${remedy}`, { cause: error })
    }
  },
}
